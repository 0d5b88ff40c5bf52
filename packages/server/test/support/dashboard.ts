// Sends requests to the dashboard like a browser: it stores and sends cookies, and sets the `Origin` header.

import type { Deps } from '../../src/deps.ts'
import { transactInControl } from '../../src/domains/access/audit/service/outbox.ts'
import { openOrganization, registerOrganization } from '../../src/domains/access/organizations/service.ts'
import { generatePassword } from '../../src/domains/access/people/password.ts'
import { createPerson } from '../../src/domains/access/people/service.ts'
import { type Role, systemCaller } from '../../src/kernel/caller.ts'
import { type Id, idFromUuid, idMaker } from '../../src/kernel/id.ts'
import { setUpWorkspace } from '../../src/setup.ts'
import { cheapHash } from './password-hash.ts'
import { assignToRunningTest } from './settle.ts'
import type { ApiResponse } from './switchyard.ts'

export type RequestOptions = {
  readonly headers?: Record<string, string | null>
  /** A cookie that replaces the cookies of the browser. */
  readonly cookie?: string | null
}

/** A browser without cookies. `address` is the client address, which requires a server with TRUST_PROXY. */
export function openBrowser(url: () => string, address: string | null = null) {
  let jar: Jar = {}

  async function send(
    method: string,
    path: string,
    body?: unknown,
    options: RequestOptions = {},
  ): Promise<ApiResponse> {
    const cookie = options.cookie === undefined ? cookieHeader(jar) : options.cookie
    const response = await fetch(url() + path, {
      method,
      headers: withoutNulls({
        origin: method === 'GET' ? null : url(),
        'content-type': body === undefined ? null : 'application/json',
        cookie,
        'x-forwarded-for': address,
        ...options.headers,
      }),
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    jar = updateJar(jar, response)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  return {
    get: (path: string, options?: RequestOptions) => send('GET', path, undefined, options),
    post: (path: string, body: unknown = {}, options?: RequestOptions) => send('POST', path, body, options),
    put: (path: string, body: unknown = {}, options?: RequestOptions) => send('PUT', path, body, options),
    delete: (path: string, body?: unknown, options?: RequestOptions) => send('DELETE', path, body, options),
    signIn: (email: string, password: string, code?: string) =>
      send('POST', '/session', { email, password, ...(code === undefined ? {} : { code }) }),
    /** Creates a token for the workspace. */
    async tokenFor(workspaceId: string): Promise<string> {
      return (await send('POST', '/session/token', { workspace_id: workspaceId })).body.token
    },
    /** The session cookie, such as `switchyard_session=…`. */
    cookie: () => cookieHeader(jar, 'session'),
    /** The cookie that marks a browser that has signed in before. */
    deviceCookie: () => cookieHeader(jar, 'device'),
  }
}

/** Cookie values by name. */
type Jar = Readonly<Record<string, string>>

/** The `Cookie` header; null if there are no cookies. */
function cookieHeader(jar: Jar, kind = ''): string | null {
  const pairs = Object.entries(jar).filter(([name]) => name.endsWith(kind))
  return pairs.length === 0 ? null : pairs.map((pair) => pair.join('=')).join('; ')
}

/** The cookies of the browser after a response. */
function updateJar(before: Jar, response: Response): Jar {
  const jar = { ...before }
  for (const setCookie of response.headers.getSetCookie()) {
    const [name = '', value = ''] = (setCookie.split(';')[0] as string).split('=')
    if (/Max-Age=0;/.test(setCookie)) delete jar[name]
    else jar[name] = value
  }
  return jar
}

/** The headers that have a value. */
function withoutNulls(headers: Record<string, string | null>): [string, string][] {
  return Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null)
}

let organizations = 0

/** Creates an organization with a live and a test workspace and an ADMIN, like the setup command. */
export async function createTestOrganization(deps: Deps, name = 'An organization') {
  organizations += 1
  const organizationId = idFromUuid('organization', 'live', idMaker(new Date(), 0)())
  const password = generatePassword()
  const email = `admin-${organizations}-${process.pid}@example.com`
  const founder = { email, passwordHash: await cheapHash(password) }
  await registerOrganization(deps, organizationId, name)
  const live = await setUpWorkspace(deps, {
    organizationId,
    mode: 'live',
    name: 'Live',
    founder,
  })
  const test = await setUpWorkspace(deps, { organizationId, mode: 'test', name: 'Test' })
  for (const { workspaceId } of [live, test]) assignToRunningTest(workspaceId)
  return { organizationId, email, password, live, test }
}

export type Organization = Awaited<ReturnType<typeof createTestOrganization>>

/** Creates another person of the organization, who can sign in immediately. */
export async function createTestPerson(
  deps: Deps,
  { organizationId, workspaceId }: { organizationId: Id<'organization'>; workspaceId: Id<'workspace'> },
  options: { readonly role: Role; readonly password?: string },
) {
  people += 1
  const password = options.password ?? generatePassword()
  const input = {
    organizationId,
    email: `person-${people}-${process.pid}@example.com`,
    name: 'Grace Hopper',
    role: options.role,
    passwordHash: await cheapHash(password),
  }
  const caller = systemCaller({ workspaceId, id: workspaceId })
  const person = await transactInControl(deps, caller, (tx) => createPerson(tx, input))
  return { id: person.id, email: input.email, password }
}

let people = 0

/** Creates the organization of a workspace that was created without one. */
export async function ensureOrganization(
  deps: Deps,
  { organizationId, workspaceId }: { organizationId: Id<'organization'>; workspaceId: Id<'workspace'> },
): Promise<void> {
  const caller = systemCaller({ workspaceId, id: workspaceId })
  await registerOrganization(deps, organizationId, 'An organization')
  await transactInControl(deps, caller, (tx) => openOrganization(tx, organizationId))
}
