# The spherelab binary and psql, without a database: DATABASE_URL names one.
# Without arguments it prints its help.
#
#   docker build -t spherelab .
#   docker run --rm -e DATABASE_URL=postgres://... -v "$PWD/graphs:/graphs:ro" spherelab \
#       train fb15k-237/sphere-2d --data /graphs

FROM golang:1.26.8-trixie AS build
WORKDIR /src
# Dependencies change less often than sources; they keep their own layer.
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# No C library in the result, so it runs on any Linux of the same architecture.
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -o /out/spherelab .

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
