// The service as its users meet it: the real apps on real sockets over a database of their own, with a
// clock that is moved by hand. No engine runs: `settle` does what is due, which proves each time that
// Postgres alone suffices.

import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, expect } from 'vitest'
import { buildApp, buildDashboard } from '../../src/app.ts'
import { compose, type Overrides } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'
import type { Deps } from '../../src/deps.ts'
import { thisMachine } from '../../src/doctor/check.ts'
import type { Role } from '../../src/kernel/caller.ts'
import { handClock } from '../../src/kernel/clock.ts'
import { type Id, idFromUuid, idMaker, type Mode, modeOf } from '../../src/kernel/id.ts'
import { settle } from '../../src/platform/engine/settle.ts'
import { makeWorkspace } from '../../src/setup.ts'
import { works } from '../../src/worker.ts'
import { aTrial, startCampaign } from './campaigns.ts'
import { found, makeOrganization, makePerson, openBrowser } from './dashboard.ts'
import { newDatabase } from './database.ts'
import { draftIn } from './invoices.ts'
import { testMasterKeys } from './master-keys.ts'
import { watchUndeclared } from './undeclared.ts'

export type Answer = {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a body is what the test says it is.
  readonly body: any
}

export type CallOptions = {
  readonly token?: string | null
  readonly headers?: Record<string, string>
  readonly raw?: string
}

export async function switchyardForThisFile(
  options: { environment?: Record<string, string>; overrides?: Overrides } = {},
) {
  const databaseUrl = await newDatabase()
  const clock = handClock(new Date('2026-11-14T12:00:00.000Z'))
  // Two addresses on free ports: they are known only after listening, so the texts get them afterwards.
  const addresses = { live: '', test: '' }
  const environment = {
    DATABASE_URL: databaseUrl,
    MASTER_KEYS: testMasterKeys,
    // Receivers of tests listen on this machine.
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    LOG_LEVEL: 'silent',
    DATABASE_POOL: '8',
    RATE_LIMIT_LIVE: '100000',
    RATE_LIMIT_TEST: '100000',
    ...options.environment,
  }
  const read = readConfig(environment)
  // The origin of the dashboard gets its port the same way. By its name, as browsers want it for passkeys.
  const dashboard = { ...read.dashboard, url: 'http://localhost' }
  const config = { ...read, addresses, dashboard }
  // How full the disk of whoever runs the tests is, is none of their business.
  const machine = { ...thisMachine, volumeOf: async () => null }
  const still = { clock, machine, publish: () => {}, tokenMemoryMs: 0, isOverloaded: () => false }
  const switchyard = compose(config, { ...still, ...options.overrides })
  const apps = { live: buildApp(switchyard, 'live'), test: buildApp(switchyard, 'test') }
  const pages = buildDashboard(switchyard)

  // An answer with a code that its operation does not declare is a gap in the document.
  const undeclared = [apps.live, apps.test, pages].map(watchUndeclared)
  afterEach(() => expect(undeclared.flat()).toEqual([]))
  for (const mode of ['live', 'test'] as const)
    addresses[mode] = await apps[mode].listen({ host: '127.0.0.1', port: 0 })
  const { port } = new URL(await pages.listen({ host: '127.0.0.1', port: 0 }))
  dashboard.url = `http://localhost:${port}`

  afterAll(async () => {
    const closing = [apps.live.close(), apps.test.close(), pages.close()]
    // A client may have opened a connection that it never used: the server would wait a minute for it to ask.
    for (const { server } of [apps.live, apps.test, pages]) server.closeAllConnections()
    await Promise.all(closing)
    await switchyard.close()
  })

  const { deps } = switchyard
  return {
    ...switchyard,
    databaseUrl,
    apps: apps as { readonly [M in Mode]: FastifyInstance },
    addresses: addresses as { readonly [M in Mode]: string },
    clock,
    /** Where the dashboard is, with its doors and its pages. */
    dashboardUrl: dashboard.url,
    /** A browser that nobody has signed in with yet. */
    openBrowser: (address?: string) => openBrowser(() => dashboard.url, address),
    /** An organization as setup makes it, with an ADMIN who can sign in. */
    newOrganization: (name?: string) => makeOrganization(deps, name),
    /** A browser in which that person is signed in. */
    async signIn({ email, password }: { readonly email: string; readonly password: string }) {
      const browser = openBrowser(() => dashboard.url)
      const { status, body } = await browser.signIn(email, password)
      expect(status, JSON.stringify(body)).toBe(200)
      return { ...browser, session: body }
    },
    settle: () => settle(deps, works),
    call: (mode: Mode, method: string, path: string, body?: unknown, call: CallOptions = {}) =>
      send(addresses[mode] + path, method, body, call),
    /** One workspace per test: tenancy is also what keeps tests apart. */
    async newWorkspace(mode: Mode = 'test') {
      const organizationId = idFromUuid('organization', mode, idMaker(new Date(), 0)())
      const { workspaceId, token } = await makeWorkspace(deps, { organizationId, mode, name: 'A workspace' })
      const aPerson = aPersonIn(deps, organizationId, workspaceId)
      return { ...workspaceClient(deps, addresses[modeOf(workspaceId)], workspaceId, token), aPerson }
    },
  }
}

/** People belong to an organization, so the first of them brings it along. */
function aPersonIn(deps: Deps, organizationId: Id<'organization'>, workspaceId: Id<'workspace'>) {
  const place = { organizationId, workspaceId }
  let isFounded = false
  return async (role: Role = 'READ_ONLY') => {
    if (!isFounded) await found(deps, place)
    isFounded = true
    return makePerson(deps, place, { role })
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
    /** The text of a new token of that role. */
    async tokenFor(role: Role | 'publishable'): Promise<string> {
      const input = role === 'publishable' ? { name: role, kind: role } : { name: role, role }
      const { body } = await post('/api-tokens', input)
      return body.token
    },
    async aCustomer(members: object = {}): Promise<string> {
      const { body } = await post('/customers', { email: 'ada@example.com', ...members })
      return body.id
    },
    /** One that is open and that nobody pays by itself. */
    async anInvoice(
      given: { readonly customer_id?: string; readonly amount?: number } = {},
    ): Promise<string> {
      const about = await aTrial(post, given.customer_id)
      const wish = { ...about, collect: 'never', amount: given.amount ?? 2999 } as const
      const { id } = await draftIn(deps, workspaceId, wish)
      await post(`/invoices/${id}/finalize`)
      return id
    },
    /** A dunning campaign that runs. */
    aCampaign: (): Promise<string> => startCampaign(deps, workspaceId, post),
    /** An endpoint that asks for events of customers, unless it says otherwise. */
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

/** Of a stream, which would go on, the beginning with its first cursor. */
async function textOf(answer: Response): Promise<string> {
  if (answer.headers.get('content-type') !== 'text/event-stream') return answer.text()
  let text = ''
  for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part
    if (/^id: .*\n/m.test(text)) break
  }
  return text
}

async function send(url: string, method: string, body: unknown, options: CallOptions): Promise<Answer> {
  const text = options.raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const answer = await fetch(url, {
    method,
    headers: {
      ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(text === undefined ? {} : { body: text }),
  })
  const received = await textOf(answer)
  const isJson = answer.headers.get('content-type')?.includes('json')
  return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(received) : received }
}
