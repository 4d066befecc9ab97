# Burgee as a container image: docs/install.md, "Running it in a container".
#
#   docker build --tag burgee .
#   docker run --read-only --cap-drop ALL --security-opt no-new-privileges --stop-timeout 20 \
#     --volume burgee:/data --publish 127.0.0.1:8080:8080 burgee
#
# The image has no init process (tini). Burgee handles SIGTERM and SIGINT itself, `serve` starts no other process that
# would have to be reaped, and it can end itself as process 1: decision 0033.

FROM node:24.21.0-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts ./scripts
COPY deploy/http-server.json ./deploy/http-server.json
# The image's own package of the HTTP server: decision 0058.
RUN ["node", "scripts/image-packages.mjs", "choose"]
RUN ["npm", "ci", "--workspaces=false", "--loglevel=error"]
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY docs ./docs
# The package of the client contains it.
COPY LICENSE ./
# The documentation links to this file.
COPY test/bucketing-vectors.json ./test/bucketing-vectors.json
RUN ["npm", "run", "build"]
RUN ["node", "scripts/image-packages.mjs", "licenses"]
RUN ["npm", "prune", "--omit=dev", "--workspaces=false", "--loglevel=error"]
RUN ["node", "scripts/image-packages.mjs", "trim"]

FROM node:24.21.0-trixie-slim AS runtime
WORKDIR /app
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist/server ./dist/server
COPY --from=build /app/dist/pages.pack ./dist/pages.pack
COPY --from=build /app/package.json /app/THIRD-PARTY-LICENSES ./
COPY LICENSE ./
COPY scripts/burgee scripts/burgee.cjs scripts/choose-node.cjs ./scripts/
COPY src/cli/demo/kubernetes-feature-gates.json ./src/cli/demo/kubernetes-feature-gates.json
COPY deploy/health-check.mjs ./deploy/health-check.mjs
RUN ["ln", "-s", "/app/scripts/burgee", "/usr/local/bin/burgee"]
RUN ["install", "--directory", "--owner=1000", "--group=1000", "--mode=0700", "/data"]

# 1000 is the image's user `node`. As a number, so that Kubernetes can see that it is not root.
USER 1000:1000
ENV NODE_ENV=production BURGEE_HOST=0.0.0.0 BURGEE_PORT=8080 BURGEE_DATA_DIR=/data/burgee
# The data directory is a folder in the volume, because a restore renames it.
VOLUME ["/data"]
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "/app/deploy/health-check.mjs"]
ENTRYPOINT ["/app/scripts/burgee"]
CMD ["serve"]
