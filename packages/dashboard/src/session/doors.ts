/** The doors of the host that the page came from: who is signed in, and a short-lived token for a workspace. */

export type Mode = 'live' | 'test'
export type Role = 'ADMIN' | 'DEVELOPER' | 'SUPPORT' | 'READ_ONLY'

export type Workspace = {
  readonly id: string
  readonly name: string
  readonly mode: Mode
  /** Where its API is. */
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

export type Refusal = {
  readonly code: string
  readonly detail: string
  readonly request_id?: string
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
}

export class DoorError extends Error {
  override name = 'DoorError'
  readonly status: number
  readonly code: string
  readonly refusal: Refusal | null
  readonly retryAfterSeconds: number | null

  constructor(response: Response, refusal: Refusal | null) {
    super(refusal?.detail ?? `The server answered ${response.status}.`)
    this.status = response.status
    this.code = refusal?.code ?? 'unknown'
    this.refusal = refusal
    this.retryAfterSeconds = Number(response.headers.get('retry-after')) || null
  }
}

export async function knock<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new DoorError(response, parsed<Refusal>(text))
  return parsed<Answer>(text) as Answer
}

function parsed<Value>(text: string): Value | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
