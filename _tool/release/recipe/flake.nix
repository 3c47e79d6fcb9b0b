# Nix: nix run path:FOLDER -- train
{
  description = "Answers from knowledge graphs as sets, with a tracker and a Go kernel";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-26.05";

  outputs = { self, nixpkgs }:
    let
      archives = {
        x86_64-linux = { url = "{{.URL "linux" "amd64"}}"; sha256 = "{{.Sum "linux" "amd64"}}"; };
        aarch64-linux = { url = "{{.URL "linux" "arm64"}}"; sha256 = "{{.Sum "linux" "arm64"}}"; };
        x86_64-darwin = { url = "{{.URL "darwin" "amd64"}}"; sha256 = "{{.Sum "darwin" "amd64"}}"; };
        aarch64-darwin = { url = "{{.URL "darwin" "arm64"}}"; sha256 = "{{.Sum "darwin" "arm64"}}"; };
      };
      forSystem = system: archive:
        let pkgs = nixpkgs.legacyPackages.${system};
        in {
          # A static program, which is wrapped so that it finds a PostgreSQL to start privately.
          default = pkgs.stdenvNoCC.mkDerivation {
            pname = "spherelab";
            version = "{{.Version}}";
            src = pkgs.fetchurl archive;
            nativeBuildInputs = [ pkgs.makeWrapper ];
            dontStrip = true;
            installPhase = ''
              install -D spherelab $out/libexec/spherelab
              makeWrapper $out/libexec/spherelab $out/bin/spherelab --suffix PATH : ${pkgs.postgresql_17}/bin
              install -D -m 644 -t $out/share/doc/spherelab LICENSE NOTICE README.md
            '';
            meta = {
              homepage = "https://github.com/spherelab/spherelab";
              license = pkgs.lib.licenses.mit;
              mainProgram = "spherelab";
            };
          };
        };
    in { packages = builtins.mapAttrs forSystem archives; };
}
