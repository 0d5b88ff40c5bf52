/** What was shown is done, or nothing is. */
import type { Deps } from '../../../deps.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import type { Plan } from '../plan/scene.ts'
import {
  hashOfBody,
  hashOfLines,
  openPreview,
  type Promised,
  previewSeconds,
  sealPreview,
} from '../preview-token.ts'

type Keys = Pick<Deps, 'linkKeys'>

/** The instant of the preview, which its plan is made for again; null without one. */
export function instantOf({ linkKeys }: Keys, tx: Tx, token: string | undefined): Date | null {
  if (token === undefined) return null
  const promised = openPreview(linkKeys, token) ?? refuse('preview_stale')
  if (promised.at > tx.now || addSeconds(promised.at, previewSeconds) < tx.now) refuse('preview_stale')
  return promised.at
}

type Claim = {
  readonly token: string | undefined
  readonly action: string
  readonly body: object
  readonly of: string
  readonly version: number
  readonly plan: Plan
  /** When something happens by itself: a boundary that has passed makes another bill. */
  readonly nextDueAt: Date | null
}

export function requirePromised({ linkKeys }: Keys, tx: Tx, claim: Claim): void {
  if (claim.token === undefined) return
  const promised = openPreview(linkKeys, claim.token) ?? refuse('preview_stale')
  const kept = contentOf(claim)
  const isSame =
    promised.of === kept.of &&
    promised.version === kept.version &&
    promised.body === kept.body &&
    promised.lines === kept.lines
  const hasPassed = claim.nextDueAt !== null && claim.nextDueAt <= tx.now
  if (!isSame || hasPassed) refuse('preview_stale')
}

function contentOf({ of, version, action, body, plan }: Omit<Claim, 'token' | 'nextDueAt'>) {
  return {
    ...{ of, version, body: hashOfBody(action, body) },
    lines: hashOfLines(plan.invoices, plan.pendingLines),
  }
}

export function promise(
  { linkKeys }: Keys,
  at: Date,
  claim: Omit<Claim, 'token' | 'nextDueAt'>,
): { readonly token: string; readonly expiresAt: Date } {
  const promised: Promised = { at, ...contentOf(claim) }
  return { token: sealPreview(linkKeys, promised), expiresAt: addSeconds(at, previewSeconds) }
}
