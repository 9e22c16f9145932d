# Runs the phishwatch sandbox in a container, on port 8080:
#   ./scripts/build && docker build -f scripts/sandbox.Dockerfile -t phishwatch-sandbox .
# GET /sandbox returns the API keys. The URLs that it returns are valid inside the container only.
FROM debian:stable-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends socat \
  && rm -rf /var/lib/apt/lists/*
COPY dist/phishwatch /usr/local/bin/phishwatch
USER nobody
EXPOSE 8080
HEALTHCHECK --interval=1s --timeout=1s --retries=30 CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8081"]
# The sandbox listens on loopback only, which a published port of a container cannot reach.
CMD ["sh", "-c", "socat TCP-LISTEN:8080,fork,reuseaddr TCP:127.0.0.1:8081 & exec phishwatch sandbox --port 8081"]
