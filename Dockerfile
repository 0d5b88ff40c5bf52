# The server image. Node runs the TypeScript sources directly; only the payment page, the dashboard and the documentation
# are built. The image needs no writable file system and no root.

# To pin the base image: --build-arg NODE_IMAGE=node:24-bookworm-slim@sha256:<digest>
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/server/package.json packages/server/
# The optional packages are Node and development tools; the base image already has Node.
RUN npm ci --workspace @switchyard/server --omit=dev --omit=optional --ignore-scripts

FROM ${NODE_IMAGE} AS pages
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY packages/checkout/package.json packages/checkout/
COPY packages/dashboard/package.json packages/dashboard/
COPY packages/docs/package.json packages/docs/
RUN npm ci --workspace @switchyard/checkout --workspace @switchyard/dashboard --workspace @switchyard/docs --ignore-scripts
COPY scripts/pages scripts/pages
# The dashboard includes the SDK.
COPY packages/sdk packages/sdk
# The payment page and the script of the payment element share code.
COPY packages/elements packages/elements
COPY packages/checkout packages/checkout
COPY packages/dashboard packages/dashboard
COPY packages/docs packages/docs
COPY docs docs
COPY examples examples
COPY README.md ARCHITECTURE.md STYLE.md CONTRIBUTING.md SECURITY.md CHANGELOG.md ./
RUN node packages/checkout/build.ts && node packages/dashboard/build.ts && node packages/docs/build.ts

FROM ${NODE_IMAGE}
WORKDIR /app
# By default, a busy Node process uses up to 128 MB for new objects, most of which are garbage. With this option it uses
# 32 MB. Encoding an export takes 3% more CPU time.
ENV NODE_ENV=production \
    NODE_OPTIONS=--max-semi-space-size=16 \
    LIVE_LISTEN=0.0.0.0:8080 \
    TEST_LISTEN=0.0.0.0:8081 \
    DASHBOARD_LISTEN=0.0.0.0:8083 \
    OPS_LISTEN=127.0.0.1:9090
# Copy the whole folder, because npm may install a package into the workspace's own node_modules.
COPY --from=dependencies /app ./
COPY LICENSE ./
COPY packages/server packages/server
COPY packages/simulator packages/simulator
# The simulator's ledger. A volume mounted here belongs to the user of the image.
RUN install -d -o node -g node /data
COPY --from=pages /app/packages/checkout/dist packages/checkout/dist
COPY --from=pages /app/packages/dashboard/dist packages/dashboard/dist
COPY --from=pages /app/packages/docs/dist packages/docs/dist
USER node
EXPOSE 8080 8081 8083
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9090/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/server/src/main.ts"]
CMD ["all"]
