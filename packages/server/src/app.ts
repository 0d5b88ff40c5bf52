/** Builds the HTTP servers: the API of one environment, live or test, and the dashboard. */
import type { FastifyInstance } from 'fastify'
import { access } from './access.ts'
import type { Switchyard } from './compose.ts'
import type { Deps } from './deps.ts'
import { findElementOrigins } from './domains/access/organizations/service/element-origins.ts'
import { signInRoutes } from './domains/access/sign-in/routes.ts'
import { EventObject } from './domains/webhooks/events/schema.ts'
import { eventTypes } from './event-types.ts'
import type { Mode } from './kernel/id.ts'
import { operationsOf, publicRoutesOf } from './operations.ts'
import { addCheckoutPages } from './platform/http/checkout-pages.ts'
import { addDashboardPages } from './platform/http/dashboard-pages.ts'
import { registerDashboardRoutes } from './platform/http/dashboard-routes.ts'
import { addDocsPages } from './platform/http/docs-pages.ts'
import type { HttpContext } from './platform/http/http-context.ts'
import { describeApi } from './platform/http/openapi.ts'
import type { Operation } from './platform/http/operation.ts'
import { addOpenApiDocument } from './platform/http/plain-pages.ts'
import { registerPublicRoutes } from './platform/http/public-routes.ts'
import { addOperations, createServer, rejectUnknownRoutes } from './platform/http/server.ts'
import { areas } from './resources.ts'
import { versions } from './versions/registry.ts'

export function buildApp(switchyard: Switchyard, mode: Mode): FastifyInstance {
  const context = switchyard.httpContext(mode)
  const app = createServer(context)
  const operations = operationsOf(switchyard.deps)
  addOperations(app, context, operations)
  registerPublicRoutes(app, context, publicRoutesOf(switchyard.deps))
  addCheckoutPages(app, {
    folder: switchyard.config.checkoutPages,
    mode,
    elementOrigins: (token, address) => elementOriginsOf(switchyard.deps, context, token, address),
  })
  addOpenApiDocument(
    app,
    () => documentOf(operations),
    () => context.addresses[mode],
  )
  addDocsPages(app, switchyard.config.docsPages)
  return app
}

/** Empty if the token is not a publishable token of this environment. */
async function elementOriginsOf(
  deps: Deps,
  { identify, mode }: HttpContext,
  token: string,
  address: string,
): Promise<readonly string[]> {
  const identity = await identify(token, address)
  if (identity.status !== 'known' || identity.authority !== 'publishable' || identity.mode !== mode) return []
  return findElementOrigins(deps, identity.workspaceId)
}

/** The dashboard, on its own origin: its pages and the routes for signing in. It serves no API operations. */
export function buildDashboard(switchyard: Switchyard): FastifyInstance {
  const { config, deps } = switchyard
  const context = switchyard.httpContext('live')
  const url = () => config.dashboard.url
  const app = createServer(context)
  registerDashboardRoutes(app, context, url, signInRoutes(deps))
  addDashboardPages(app, { folder: config.dashboard.pages, url, addresses: config.addresses })
  rejectUnknownRoutes(app)
  return app
}

export function documentOf(operations: readonly Operation[]) {
  return describeApi({
    version: versions.current,
    operations,
    access,
    events: eventTypes,
    eventSchema: EventObject,
    areas,
  })
}
