/** The session endpoints of the dashboard host: the current session, and short-lived tokens for a workspace. */

export type Mode = 'live' | 'test'
export type Role = 'ADMIN' | 'DEVELOPER' | 'SUPPORT' | 'FINANCE' | 'READ_ONLY'

export type Workspace = {
  readonly id: string
  readonly name: string
  readonly mode: Mode
  /** The base URL of the API for this workspace. */
  readonly address: string
}

export type Session = {
  readonly person: {
    readonly id: string
    readonly email: string
    readonly name: string | null
    readonly role: Role
    readonly totp_enabled: boolean
    readonly passkeys: readonly { readonly id: string; readonly name: string; readonly created_at: string }[]
  }
  readonly organization: { readonly id: string; readonly name: string }
  readonly workspaces: readonly Workspace[]
  readonly expires_at: string
  readonly idle_expires_at: string
}

export type Problem = {
  readonly code: string
  readonly detail: string
  readonly request_id?: string
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
}

export class SessionApiError extends Error {
  override name = 'SessionApiError'
  readonly status: number
  readonly code: string
  readonly problem: Problem | null
  readonly retryAfterSeconds: number | null

  constructor(response: Response, problem: Problem | null) {
    super(problem?.detail ?? `The server returned status ${response.status}.`)
    this.status = response.status
    this.code = problem?.code ?? 'unknown'
    this.problem = problem
    this.retryAfterSeconds = Number(response.headers.get('retry-after')) || null
  }
}

export async function fetchSession<Body>(method: string, path: string, body?: object): Promise<Body> {
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new SessionApiError(response, parseJson<Problem>(text))
  return parseJson<Body>(text) as Body
}

function parseJson<Value>(text: string): Value | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
