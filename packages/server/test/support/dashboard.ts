// The dashboard as a browser meets it: cookies are kept and sent, and the page says where it is from.

import type { Deps } from '../../src/deps.ts'
import { createOrganization } from '../../src/domains/organizations/service.ts'
import { drawPassword, hashPassword } from '../../src/domains/people/password.ts'
import { createPerson } from '../../src/domains/people/service.ts'
import { type Role, systemCaller } from '../../src/kernel/caller.ts'
import { type Id, idFromUuid, idMaker } from '../../src/kernel/id.ts'
import { transact } from '../../src/platform/db/unit-of-work.ts'
import { makeWorkspace } from '../../src/setup.ts'
import type { Answer } from './switchyard.ts'

export type Asking = {
  readonly headers?: Record<string, string | null>
  /** Sent in the place of the cookie that the browser has. */
  readonly cookie?: string | null
}

/** A browser without a cookie. `address` is where it says to come from; the server has to trust proxies for that. */
export function openBrowser(url: () => string, address: string | null = null) {
  let jar: string | null = null

  async function ask(method: string, path: string, body?: unknown, asking: Asking = {}): Promise<Answer> {
    const cookie = asking.cookie === undefined ? jar : asking.cookie
    const answer = await fetch(url() + path, {
      method,
      headers: given({
        origin: method === 'GET' ? null : url(),
        'content-type': body === undefined ? null : 'application/json',
        cookie,
        'x-forwarded-for': address,
        ...asking.headers,
      }),
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    jar = jarAfter(jar, answer)
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json')
    return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text }
  }

  return {
    get: (path: string, asking?: Asking) => ask('GET', path, undefined, asking),
    post: (path: string, body: unknown = {}, asking?: Asking) => ask('POST', path, body, asking),
    put: (path: string, body: unknown = {}, asking?: Asking) => ask('PUT', path, body, asking),
    delete: (path: string, body?: unknown, asking?: Asking) => ask('DELETE', path, body, asking),
    signIn: (email: string, password: string, code?: string) =>
      ask('POST', '/session', { email, password, ...(code === undefined ? {} : { code }) }),
    /** The text of a token for that workspace. */
    async tokenFor(workspaceId: string): Promise<string> {
      return (await ask('POST', '/session/token', { workspace_id: workspaceId })).body.token
    },
    /** What it sends along, such as `switchyard_session=…`. */
    cookie: () => jar,
  }
}

/** What the browser carries after an answer. */
function jarAfter(before: string | null, answer: Response): string | null {
  const [set] = answer.headers.getSetCookie()
  if (set === undefined) return before
  return /Max-Age=0;/.test(set) ? null : (set.split(';')[0] as string)
}

/** Those that have a value. */
function given(headers: Record<string, string | null>): [string, string][] {
  return Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null)
}

let organizations = 0

/** An organization with a workspace for each environment and an ADMIN, as setup makes it. */
export async function makeOrganization(deps: Deps, name = 'An organization') {
  organizations += 1
  const organizationId = idFromUuid('organization', 'live', idMaker(new Date(), 0)())
  const password = drawPassword()
  const email = `admin-${organizations}-${process.pid}@example.com`
  const founding = { organization: name, email, passwordHash: await hashPassword(password) }
  const live = await makeWorkspace(deps, { organizationId, mode: 'live', name: 'Live', founding })
  const test = await makeWorkspace(deps, { organizationId, mode: 'test', name: 'Test' })
  return { organizationId, email, password, live, test }
}

export type Organization = Awaited<ReturnType<typeof makeOrganization>>

/** Somebody else of that organization, who can sign in at once. */
export async function makePerson(
  deps: Deps,
  { organizationId, workspaceId }: { organizationId: Id<'organization'>; workspaceId: Id<'workspace'> },
  wish: { readonly role: Role; readonly password?: string },
) {
  people += 1
  const password = wish.password ?? drawPassword()
  const input = {
    organizationId,
    email: `person-${people}-${process.pid}@example.com`,
    name: 'Grace Hopper',
    role: wish.role,
    passwordHash: await hashPassword(password),
  }
  const caller = systemCaller({ workspaceId, id: workspaceId })
  const person = await transact(deps, caller, (tx) => createPerson(tx, input))
  return { id: person.id, email: input.email, password }
}

let people = 0

/** The row of an organization for a workspace that was made without one. */
export async function found(
  deps: Deps,
  { organizationId, workspaceId }: { organizationId: Id<'organization'>; workspaceId: Id<'workspace'> },
): Promise<void> {
  const caller = systemCaller({ workspaceId, id: workspaceId })
  await transact(deps, caller, (tx) => createOrganization(tx, organizationId, 'An organization'))
}
