/** Who asks, for which workspace, and by which request. Every unit of work begins with one. */
import type { Id, Mode, Ref } from './id.ts'
import { modeOf } from './id.ts'

export const roles = ['ADMIN', 'DEVELOPER', 'SUPPORT', 'READ_ONLY'] as const
export type Role = (typeof roles)[number]

/** What a caller may do: a role of a secret token, `publishable`, or the system itself. */
export type Authority = Role | 'publishable' | 'system'

export type Caller = {
  readonly workspaceId: Id<'workspace'>
  readonly mode: Mode
  /** The version in which the workspace's events are written; null: the unit of work looks it up. */
  readonly apiVersion: string | null
  readonly authority: Authority
  readonly tokenId: Id<'api_token'> | null
  /** Who is signed in at the dashboard; null for servers, and for the system. */
  readonly personId: Id<'person'> | null
  readonly request: CallerRequest | null
}

export type CallerRequest = {
  readonly id: Id<'request'>
  readonly idempotencyKey: string | null
  /** Set when the answer is to be kept for repeats of the same request. */
  readonly replay: ReplayScope | null
}

export type ReplayScope = {
  /** SHA-256 of workspace, token, operation, parameters and key: one row per scope. */
  readonly scope: Buffer
  /** SHA-256 of query, body and version: the same key with other content is refused. */
  readonly fingerprint: Buffer
  /** Renders what the verb returns, so that the answer is committed together with its effect. */
  readonly render: (result: unknown) => StoredAnswer
}

export type StoredAnswer = { readonly status: number; readonly etag: string | null; readonly body: string }

/** What is known of a token that was presented: it is one of the API, or a person's who is signed in. */
export type Identity =
  | (Holder & {
      readonly is: 'known'
      readonly workspaceId: Id<'workspace'>
      readonly mode: Mode
      readonly authority: Authority
      readonly apiVersion: string
    })
  | { readonly is: 'expired' }
  | { readonly is: 'unknown' }

type Holder =
  | { readonly tokenId: Id<'api_token'>; readonly personId: null }
  | { readonly tokenId: null; readonly personId: Id<'person'> }

/** Whom limits and idempotency keys belong to; null for the system. */
export function holderOf({ tokenId, personId }: Pick<Caller, 'tokenId' | 'personId'>): string | null {
  return tokenId ?? personId
}

/** Where a call came from. */
export const sources = ['api', 'dashboard', 'system'] as const
export type Source = (typeof sources)[number]

export function sourceOf({ tokenId, personId }: { tokenId: string | null; personId: string | null }): Source {
  if (personId !== null) return 'dashboard'
  return tokenId === null ? 'system' : 'api'
}

/** The system acting on its own, for work that nobody is waiting for. */
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
