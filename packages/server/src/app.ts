/** One of the two addresses: production for live tokens, staging for test tokens. */
import type { FastifyInstance } from 'fastify'
import { access } from './access.ts'
import type { Switchyard } from './compose.ts'
import { EventObject } from './domains/events/schema.ts'
import { signInDoors } from './domains/sign-in/routes.ts'
import { eventTypes } from './event-types.ts'
import type { Mode } from './kernel/id.ts'
import { doorsOf, operationsOf } from './operations.ts'
import { addCheckoutPages } from './platform/http/checkout-pages.ts'
import { addDashboardPages } from './platform/http/dashboard-pages.ts'
import { addDocsPages } from './platform/http/docs-pages.ts'
import { addDoors } from './platform/http/doors.ts'
import { describe } from './platform/http/openapi.ts'
import type { Operation } from './platform/http/operation.ts'
import { addPageDoors } from './platform/http/page-doors.ts'
import { addDocument } from './platform/http/pages-for-people.ts'
import { addOperations, createServer, refuseTheRest } from './platform/http/server.ts'
import { resources } from './resources.ts'
import { versions } from './versions/registry.ts'

export function buildApp(switchyard: Switchyard, mode: Mode): FastifyInstance {
  const site = switchyard.siteFor(mode)
  const app = createServer(site)
  const operations = operationsOf(switchyard.deps)
  addOperations(app, site, operations)
  addDoors(app, site, doorsOf(switchyard.deps))
  addCheckoutPages(app, switchyard.config.checkoutPages)
  addDocument(app, documentOf(operations), () => site.addresses[mode])
  addDocsPages(app, switchyard.config.docsPages)
  return app
}

/** The dashboard, on an origin of its own: its pages, and the doors by which people sign in. It serves no operation. */
export function buildDashboard(switchyard: Switchyard): FastifyInstance {
  const { config, deps } = switchyard
  const site = switchyard.siteFor('live')
  const url = () => config.dashboard.url
  const app = createServer(site)
  addPageDoors(app, site, url, signInDoors(deps))
  addDashboardPages(app, { folder: config.dashboard.pages, url, addresses: config.addresses })
  refuseTheRest(app)
  return app
}

export function documentOf(operations: readonly Operation[]) {
  return describe({
    version: versions.current,
    operations,
    access,
    events: eventTypes,
    eventSchema: EventObject,
    resources,
  })
}
