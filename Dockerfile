# The spherelab binary and psql, without a database: DATABASE_URL names one.
# Without arguments it prints its help.
#
#   docker build -t spherelab --build-arg VERSION=$(sh _tool/version.sh) --build-arg COMMIT=$(sh _tool/version.sh commit) .
#   docker run --rm -e DATABASE_URL=postgres://... -v "$PWD/graphs:/graphs:ro" spherelab \
#       train fb15k-237/sphere-2d --data /graphs
#
# and, as a target of its own, JupyterLab with the Go kernel:
#
#   docker build -t spherelab-jupyter --target jupyter .
#   docker run --rm -p 127.0.0.1:8888:8888 -v "$PWD:/notebooks" spherelab-jupyter

FROM golang:1.26.8-trixie AS build
WORKDIR /src
# Dependencies change less often than sources; they keep their own layer.
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# What git knows does not reach the build: --build-arg VERSION=$(sh _tool/version.sh), and COMMIT with the argument commit.
ARG VERSION="" COMMIT=""
# No C library in the result, so it runs on any Linux of the same architecture.
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -o /out/spherelab -ldflags "-s -w \
    -X github.com/spherelab/spherelab/experiments.version=${VERSION:+v$VERSION} \
    -X github.com/spherelab/spherelab/experiments.commit=$COMMIT" .

FROM python:3.13.7-slim-trixie AS jupyter
RUN pip install --no-cache-dir jupyterlab==4.6.6
COPY --from=build /out/spherelab /usr/local/bin/spherelab
RUN useradd --create-home --home-dir /data --uid 10001 spherelab \
 && install -d -o spherelab -g spherelab -m 0755 /data /notebooks \
 && spherelab kernel install --prefix /usr/local
USER spherelab
WORKDIR /notebooks
ENV SPHERELAB_HOME=/data
VOLUME ["/data", "/notebooks"]
EXPOSE 8888
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 \
    CMD ["python3", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8888/api', timeout=5)"]
# The address is the container's own; who reaches it is up to `docker run -p`.
# Without JUPYTER_TOKEN Jupyter makes a token and prints it.
ENTRYPOINT ["jupyter", "lab", "--ip=0.0.0.0", "--port=8888", "--no-browser"]

# MLflow's own server; the version is the newest that works on our tables as they are.
FROM python:3.13.7-slim-trixie AS mlflow
RUN pip install --no-cache-dir mlflow==2.22.5 psycopg2-binary==2.9.11
RUN useradd --create-home --uid 10001 mlflow
USER mlflow
EXPOSE 5000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=12 \
    CMD ["python3", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:5000/health', timeout=5)"]
ENTRYPOINT ["mlflow", "server", "--host=0.0.0.0", "--port=5000"]

FROM alpine:3.22.1
RUN apk add --no-cache postgresql17-client \
 && adduser -D -u 10001 -h /data spherelab \
 && install -d -o spherelab -g spherelab -m 0755 /data
COPY --from=build /out/spherelab /usr/local/bin/spherelab
USER spherelab
WORKDIR /data
# Checkpoints, spools and downloaded graphs.
ENV SPHERELAB_HOME=/data
VOLUME /data
# Commands that need no database (query, explain, version) are not unhealthy
# for want of one.
HEALTHCHECK --interval=60s --timeout=20s --start-period=20s --retries=3 \
    CMD if [ -n "$DATABASE_URL" ]; then spherelab doctor; else spherelab version; fi
ENTRYPOINT ["spherelab"]
CMD ["help"]
