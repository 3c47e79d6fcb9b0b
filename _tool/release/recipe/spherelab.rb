# Homebrew, for a tap: brew install OWNER/TAP/spherelab
class Spherelab < Formula
  desc "Answers from knowledge graphs as sets, with a tracker and a Go kernel"
  homepage "https://github.com/spherelab/spherelab"
  version "{{.Version}}"
  license "MIT"

  on_macos do
    on_arm do
      url "{{.URL "darwin" "arm64"}}"
      sha256 "{{.Sum "darwin" "arm64"}}"
    end
    on_intel do
      url "{{.URL "darwin" "amd64"}}"
      sha256 "{{.Sum "darwin" "amd64"}}"
    end
  end

  on_linux do
    on_arm do
      url "{{.URL "linux" "arm64"}}"
      sha256 "{{.Sum "linux" "arm64"}}"
    end
    on_intel do
      url "{{.URL "linux" "amd64"}}"
      sha256 "{{.Sum "linux" "amd64"}}"
    end
  end

  depends_on "postgresql@17"

  def install
    bin.install "spherelab"
    generate_completions_from_executable(bin/"spherelab", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/spherelab version")
  end
end
