/** The caller of an operation: its credential, workspace and request. Every unit of work has a caller. */
import type { Cell } from './cells.ts'
import type { Id, Mode, Ref } from './id.ts'
import { modeOf } from './id.ts'

export const roles = ['ADMIN', 'DEVELOPER', 'SUPPORT', 'FINANCE', 'READ_ONLY'] as const
export type Role = (typeof roles)[number]

/** The permissions of a caller: the role of a secret token, `publishable`, or `system`. */
export type Authority = Role | 'publishable' | 'system'

export type Caller = {
  readonly workspaceId: Id<'workspace'>
  readonly mode: Mode
  /** The API version in which the workspace's events are written. If null, the unit of work looks it up. */
  readonly apiVersion: string | null
  readonly authority: Authority
  readonly tokenId: Id<'api_token'> | null
  /** The person signed in to the dashboard; null for API tokens and for the system. */
  readonly personId: Id<'person'> | null
  readonly request: CallerRequest | null
}

export type CallerRequest = {
  readonly id: Id<'request'>
  readonly idempotencyKey: string | null
  /** Set if the response is stored and replayed for repeated requests with the same key. */
  readonly replay: ReplayScope | null
}

export type ReplayScope = {
  /** SHA-256 of workspace, token, operation, parameters and key. There is one row per scope. */
  readonly scope: Buffer
  /** SHA-256 of query, body and version. The same key with different content is rejected. */
  readonly fingerprint: Buffer
  /** Renders the result of the operation, so that the response is committed together with its effect. */
  readonly render: (result: unknown) => RenderedResponse
}

export type RenderedResponse = {
  readonly status: number
  readonly etag: string | null
  readonly body: string
}

/** The result of looking up a presented token: an API token, or the session of a signed-in person. */
export type Identity =
  | (Holder & {
      readonly status: 'known'
      readonly workspaceId: Id<'workspace'>
      readonly mode: Mode
      readonly authority: Authority
      readonly apiVersion: string
    })
  | { readonly status: 'expired' }
  /** The workspace is in another cell. Whether the token is valid is not known. */
  | { readonly status: 'elsewhere'; readonly cell: Cell }
  | { readonly status: 'unknown' }

type Holder =
  | { readonly tokenId: Id<'api_token'>; readonly personId: null }
  | { readonly tokenId: null; readonly personId: Id<'person'> }

/** The owner of rate limits and idempotency keys; null for the system. */
export function holderOf({ tokenId, personId }: Pick<Caller, 'tokenId' | 'personId'>): string | null {
  return tokenId ?? personId
}

/** The origin of a call. */
export const sources = ['api', 'dashboard', 'system'] as const
export type Source = (typeof sources)[number]

export function sourceOf({ tokenId, personId }: { tokenId: string | null; personId: string | null }): Source {
  if (personId !== null) return 'dashboard'
  return tokenId === null ? 'system' : 'api'
}

/** The caller for background work, which no client waits for. */
export function systemCaller(ref: Ref): Caller {
  return {
    workspaceId: ref.workspaceId,
    mode: modeOf(ref.workspaceId),
    apiVersion: null,
    authority: 'system',
    tokenId: null,
    personId: null,
    request: null,
  }
}
