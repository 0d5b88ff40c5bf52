// The complete server for tests, with its own database and a manual clock. Tests call it over HTTP. No engine
// runs: `settle` runs due work, so every test also proves that PostgreSQL alone is sufficient.

import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, expect } from 'vitest'
import { buildApp, buildDashboard } from '../../src/app.ts'
import { compose, type Overrides } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'
import type { Deps } from '../../src/deps.ts'
import { thisMachine } from '../../src/doctor/check.ts'
import { aggregateEvents } from '../../src/domains/billing/meters/service/aggregate.ts'
import type { Role } from '../../src/kernel/caller.ts'
import { manualClock } from '../../src/kernel/clock.ts'
import { type Id, idFromUuid, idMaker, type Mode, modeOf } from '../../src/kernel/id.ts'
import type { DisputeReport } from '../../src/providers/contract.ts'
import { setUpWorkspace } from '../../src/setup.ts'
import { workTypes } from '../../src/work-types.ts'
import { aTrial, startCampaign } from './campaigns.ts'
import { createTestOrganization, createTestPerson, ensureOrganization, openBrowser } from './dashboard.ts'
import { overSocket } from './database.ts'
import { reportDispute } from './disputes.ts'
import { createFinishedExport } from './exports.ts'
import { createDraftInvoice } from './invoices.ts'
import { databasesOfThisRun } from './layouts.ts'
import { createReceipt } from './mails.ts'
import { testMasterKeys } from './master-keys.ts'
import { runAllDueWork } from './run-all-due-work.ts'
import { assignToRunningTest, settleThisTest, watchTestsOfThisFile } from './settle.ts'
import { importUnknownLine } from './settlement.ts'
import { collectUndeclaredErrors } from './undeclared-errors.ts'

export type ApiResponse = {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the type of the body.
  readonly body: any
}

export type CallOptions = {
  readonly token?: string | null
  readonly headers?: Record<string, string>
  readonly raw?: string
}

export async function switchyardForThisFile(
  options: { environment?: Record<string, string>; overrides?: Overrides; plans?: 'default' } = {},
) {
  watchTestsOfThisFile()
  const { databaseUrl, environment: layout } = await databasesOfThisRun(options.environment?.DATABASE_URL)
  const clock = manualClock(new Date('2026-11-14T12:00:00.000Z'))
  // The ports are known only after the apps listen, so the addresses are set then.
  const addresses = { live: '', test: '' }
  const environment = {
    DATABASE_URL: overSocket(options.plans === 'default' ? databaseUrl : withGenericPlans(databaseUrl)),
    MASTER_KEYS: testMasterKeys,
    // Webhook receivers of tests listen on this machine.
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    LOG_LEVEL: 'silent',
    DATABASE_POOL: '8',
    RATE_LIMIT_LIVE: '100000',
    RATE_LIMIT_TEST: '100000',
    ...layout,
    ...options.environment,
  }
  const parsed = readConfig(environment)
  // The host of the dashboard is a name, because browsers require one for passkeys. Its port is set later
  // too.
  const dashboard = { ...parsed.dashboard, url: 'http://localhost' }
  const config = { ...parsed, addresses, dashboard }
  // Tests must not depend on the free disk space of the machine.
  const machine = { ...thisMachine, volumeOf: async () => null }
  const testOverrides = { clock, machine, publish: () => {}, tokenCacheMs: 0, isOverloaded: () => false }
  const switchyard = compose(config, { ...testOverrides, ...options.overrides })
  await switchyard.deps.databases.loadMap()
  const signingKeys = await switchyard.signingKeys.keepLoaded(switchyard.deps.databases, switchyard.log)
  const apps = { live: buildApp(switchyard, 'live'), test: buildApp(switchyard, 'test') }
  const pages = buildDashboard(switchyard)

  // An error code that its operation does not declare is a gap in the OpenAPI document.
  const undeclared = [apps.live, apps.test, pages].map(collectUndeclaredErrors)
  afterEach(() => expect(undeclared.flat()).toEqual([]))
  for (const mode of ['live', 'test'] as const)
    addresses[mode] = await apps[mode].listen({ host: '127.0.0.1', port: 0 })
  const { port } = new URL(await pages.listen({ host: '127.0.0.1', port: 0 }))
  dashboard.url = `http://localhost:${port}`

  afterAll(async () => {
    const closing = [apps.live.close(), apps.test.close(), pages.close()]
    // Without this, the server would wait a minute for a connection on which no request was sent.
    for (const { server } of [apps.live, apps.test, pages]) server.closeAllConnections()
    await Promise.all([...closing, signingKeys.stop()])
    await switchyard.close()
  })

  const { deps } = switchyard
  return {
    ...switchyard,
    databaseUrl,
    apps: apps as { readonly [M in Mode]: FastifyInstance },
    addresses: addresses as { readonly [M in Mode]: string },
    clock,
    /** The URL of the dashboard. */
    dashboardUrl: dashboard.url,
    /** A browser without a session. */
    openBrowser: (address?: string) => openBrowser(() => dashboard.url, address),
    /** Creates an organization like the setup command, with an ADMIN who can sign in. */
    newOrganization: (name?: string) => createTestOrganization(deps, name),
    /** Signs a person in, and returns the browser. */
    async signIn({ email, password }: { readonly email: string; readonly password: string }) {
      const browser = openBrowser(() => dashboard.url)
      const { status, body } = await browser.signIn(email, password)
      expect(status, JSON.stringify(body)).toBe(200)
      return { ...browser, session: body }
    },
    /** Runs due work in the workspaces of the running test. */
    settle: () => settleThisTest(deps),
    /** Runs due work in all workspaces of the database. */
    settleAll: () => runAllDueWork(deps, workTypes),
    call: (mode: Mode, method: string, path: string, body?: unknown, call: CallOptions = {}) =>
      send(addresses[mode] + path, method, body, call),
    /** Creates a workspace. Each test uses its own, which isolates tests from each other. */
    async newWorkspace(mode: Mode = 'test') {
      const organizationId = idFromUuid('organization', mode, idMaker(new Date(), 0)())
      const { workspaceId, token } = await setUpWorkspace(deps, { organizationId, mode, name: 'A workspace' })
      assignToRunningTest(workspaceId)
      const aPerson = aPersonIn(deps, organizationId, workspaceId)
      return { ...workspaceClient(deps, addresses[modeOf(workspaceId)], workspaceId, token), aPerson }
    },
  }
}

/**
 * Most tests execute a statement a few times per connection, for which PostgreSQL would make a new plan each time:
 * that takes longer than executing it. Tests of query plans, and processes that tests start, use the default
 * setting.
 */
function withGenericPlans(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('options', '-c plan_cache_mode=force_generic_plan')
  return url.href
}

/** Returns a function that creates people. The first call creates their organization. */
function aPersonIn(deps: Deps, organizationId: Id<'organization'>, workspaceId: Id<'workspace'>) {
  const ids = { organizationId, workspaceId }
  let hasOrganization = false
  return async (role: Role = 'READ_ONLY') => {
    if (!hasOrganization) await ensureOrganization(deps, ids)
    hasOrganization = true
    return createTestPerson(deps, ids, { role })
  }
}

export type Workspace = ReturnType<typeof workspaceClient> & {
  readonly aPerson: ReturnType<typeof aPersonIn>
}

function workspaceClient(deps: Deps, address: string, workspaceId: string, token: string) {
  const call =
    (method: string) =>
    (path: string, body?: unknown, options: CallOptions = {}) =>
      send(address + path, method, body, { token, ...options })
  const [get, post, put, del] = [call('GET'), call('POST'), call('PUT'), call('DELETE')]

  return {
    workspaceId,
    token,
    address,
    get: (path: string, options: CallOptions = {}) => get(path, undefined, options),
    post,
    put,
    delete: (path: string, options: CallOptions = {}) => del(path, undefined, options),
    /** Creates an API token with this role. */
    async tokenFor(role: Role | 'publishable'): Promise<string> {
      const input = role === 'publishable' ? { name: role, kind: role } : { name: role, role }
      const { body } = await post('/api-tokens', input)
      return body.token
    },
    async aCustomer(members: object = {}): Promise<string> {
      const { body } = await post('/customers', { email: 'ada@example.com', ...members })
      return body.id
    },
    /** Creates an open invoice that is not collected automatically. */
    async anInvoice(
      options: { readonly customer_id?: string; readonly amount?: number } = {},
    ): Promise<string> {
      const subscription = await aTrial(post, options.customer_id)
      const draft = { ...subscription, collect: 'never', amount: options.amount ?? 2999 } as const
      const { id } = await createDraftInvoice(deps, workspaceId, draft)
      await post(`/invoices/${id}/finalize`)
      return id
    },
    /** Starts a dunning campaign. */
    aCampaign: (): Promise<string> => startCampaign(deps, workspaceId, post),
    /** Creates a dispute of a captured payment, as if its provider had reported it. */
    aDispute: (paymentId: string, members: Partial<DisputeReport> = {}): Promise<string> =>
      reportDispute(deps, workspaceId, paymentId, members),
    /** Creates an export, by default of payments, and runs it to the end. */
    anExport: (members: object = {}): Promise<string> =>
      createFinishedExport(deps, workspaceId, post, members),
    /** A subscriber of a new trial submits a cancellation on the public page. */
    async aCancellationRequest(): Promise<string> {
      const email = `${randomUUID()}@example.com`
      const { body: customer } = await post('/customers', { email })
      await aTrial(post, customer.id)
      const { body: configuration } = await get('/portal-configuration')
      const body = new URLSearchParams({ name: 'Ada Lovelace', email })
      await fetch(`${configuration.cancellation_url}/cancellation`, { method: 'POST', body })
      return (await get('/cancellation-requests?limit=1')).body.data[0].id
    },
    /** Creates a usage alert that has triggered for a new customer. */
    aTriggeredAlert: (): Promise<string> => triggerAlert(deps, workspaceId, post),
    /** Creates a receipt that is not sent yet. */
    async anEmail(recipient = 'ada@example.com'): Promise<string> {
      await createReceipt(deps, workspaceId, recipient)
      return (await get('/mails?limit=1')).body.data[0].id
    },
    /** Imports a settlement line that needs to be resolved. The workspace needs a provider account. */
    aSettlementLine: (): Promise<string> =>
      importUnknownLine(deps, { workspaceId, post, put, get: (path) => get(path) }),
    /** Creates a webhook endpoint, by default for customer events. */
    async anEndpoint(url: string, members: object = {}): Promise<string> {
      const { body } = await post('/webhook-endpoints', { url, event_types: ['customer.*'], ...members })
      return body.id
    },
    async secretOf(endpointId: string): Promise<string> {
      return (await get(`/webhook-endpoints/${endpointId}/reveal_secret`)).body.secret
    },
    /** The deliveries of an endpoint, the oldest first. */
    async deliveriesTo(endpointId: string) {
      const { body } = await get(`/webhook-endpoints/${endpointId}/deliveries?limit=100`)
      return body.data.toReversed()
    },
    /** The content of the object's events, the oldest first. */
    async eventsOf(id: string) {
      const { body } = await get(`/events?object_id=${id}&limit=100`)
      return body.data.map((event: { data: string }) => JSON.parse(event.data)).toReversed()
    },
  }
}

type Post = (path: string, body?: unknown) => Promise<{ body: { id: string } }>

async function triggerAlert(deps: Deps, workspaceId: string, post: Post): Promise<string> {
  const event_name = `request_${randomUUID().replaceAll('-', '_')}`
  const { body: meter } = await post('/meters', { event_name, aggregation: 'count' })
  const { body: alert } = await post('/usage-alerts', {
    meter_id: meter.id,
    name: 'Requests',
    threshold: '1',
  })
  const { body: customer } = await post('/customers', {})
  await post('/meter-events', { events: [{ id: '1', event_name, customer_id: customer.id }] })
  const id = workspaceId as Id<'workspace'>
  await aggregateEvents(deps, { workspaceId: id, id })
  return alert.id
}

/** Reads the body. An event stream does not end, so it is read only up to the first cursor. */
async function readBody(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return response.text()
  let text = ''
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part
    if (/^id: .*\n/m.test(text)) break
  }
  return text
}

async function send(url: string, method: string, body: unknown, options: CallOptions): Promise<ApiResponse> {
  // The content of a file is sent unchanged.
  const isFile = options.headers?.['content-type'] === 'text/csv'
  const text =
    options.raw ?? (body === undefined || isFile ? (body as string | undefined) : JSON.stringify(body))
  const response = await fetch(url, {
    method,
    headers: {
      ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(text === undefined ? {} : { body: text }),
  })
  const received = await readBody(response)
  const isJson = response.headers.get('content-type')?.includes('json')
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(received) : received,
  }
}
