/** Checks that a command does exactly what its preview showed. */
import type { Deps } from '../../../../deps.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { Plan } from '../plan/snapshot.ts'
import {
  hashOfBody,
  hashOfLines,
  type PreviewContent,
  previewSeconds,
  signPreview,
  verifyPreview,
} from '../preview-token.ts'

type Keys = Pick<Deps, 'linkKeys'>

/** The time of the preview, for which the plan is computed again; null without a token. */
export function previewTimeOf({ linkKeys }: Keys, tx: Tx, token: string | undefined): Date | null {
  if (token === undefined) return null
  const previewed = verifyPreview(linkKeys, token) ?? refuse('preview_stale')
  if (previewed.at > tx.now || addSeconds(previewed.at, previewSeconds) < tx.now) refuse('preview_stale')
  return previewed.at
}

type PreviewClaim = {
  readonly token: string | undefined
  readonly action: string
  readonly body: object
  readonly subjectId: string
  readonly version: number
  readonly plan: Plan
  /** When the next automatic action is due. After it has run, the bill would differ. */
  readonly nextDueAt: Date | null
}

export function requirePreviewMatch({ linkKeys }: Keys, tx: Tx, claim: PreviewClaim): void {
  if (claim.token === undefined) return
  const previewed = verifyPreview(linkKeys, claim.token) ?? refuse('preview_stale')
  const current = contentOf(claim)
  const isUnchanged =
    previewed.subjectId === current.subjectId &&
    previewed.version === current.version &&
    previewed.body === current.body &&
    previewed.lines === current.lines
  const isActionDue = claim.nextDueAt !== null && claim.nextDueAt <= tx.now
  if (!isUnchanged || isActionDue) refuse('preview_stale')
}

function contentOf({ subjectId, version, action, body, plan }: Omit<PreviewClaim, 'token' | 'nextDueAt'>) {
  return {
    subjectId,
    version,
    body: hashOfBody(action, body),
    lines: hashOfLines(plan.invoices, plan.pendingLines),
  }
}

export function createPreviewToken(
  { linkKeys }: Keys,
  at: Date,
  claim: Omit<PreviewClaim, 'token' | 'nextDueAt'>,
): { readonly token: string; readonly expiresAt: Date } {
  const previewed: PreviewContent = { at, ...contentOf(claim) }
  return { token: signPreview(linkKeys, previewed), expiresAt: addSeconds(at, previewSeconds) }
}
