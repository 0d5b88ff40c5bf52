/** What the shape of a body cannot tell about an action: which members it takes, and that weights make a whole. */
import type { Fault } from '../../kernel/errors.ts'
import { most } from './payment-route.ts'

/** Notes a fault. */
type Tell = (pointer: string, code: Fault['code'], detail: string) => void
type Sent = {
  readonly type: string
  readonly targets?: readonly unknown[]
  readonly key?: string
  readonly salt?: string
  readonly fallback?: readonly unknown[]
  readonly adaptive?: { readonly segment_by?: readonly string[] }
}

const members: { readonly [type: string]: readonly string[] } = {
  priority: ['type', 'targets', 'adaptive'],
  split: ['type', 'targets', 'key', 'salt', 'fallback'],
  decline: ['type'],
}

export function checkAction(action: unknown, pointer: string, tell: Tell): void {
  const sent = action as Sent
  const allowed = members[sent.type] ?? []
  for (const member of Object.keys(sent)) {
    if (!allowed.includes(member))
      tell(`${pointer}/${member}`, 'not_together', `does not go with ${sent.type}`)
  }
  if (sent.type === 'decline') return
  const { targets, fallback = [] } = sent
  if (targets === undefined) tell(`${pointer}/targets`, 'required', 'is required')
  else if (sent.type === 'priority') checkIds(targets, `${pointer}/targets`, tell)
  else checkShares(targets, `${pointer}/targets`, tell)
  if (sent.type === 'split') checkIds(fallback, `${pointer}/fallback`, tell)
  checkSegments(sent.adaptive?.segment_by ?? [], `${pointer}/adaptive/segment_by`, tell)
}

function checkSegments(fields: readonly string[], pointer: string, tell: Tell): void {
  for (const [at, field] of fields.entries()) {
    if (fields.indexOf(field) < at) tell(`${pointer}/${at}`, 'not_together', 'is in the list already')
  }
}

function checkIds(targets: readonly unknown[], pointer: string, tell: Tell): void {
  for (const [at, target] of targets.entries()) {
    if (typeof target !== 'string') tell(`${pointer}/${at}`, 'wrong_type', 'must be of type string')
    else if (targets.indexOf(target) < at) tell(`${pointer}/${at}`, 'not_together', 'is in the list already')
  }
  if (targets.length > most.targets) tell(pointer, 'too_many', `must have at most ${most.targets} entries`)
}

function checkShares(targets: readonly unknown[], pointer: string, tell: Tell): void {
  const shares = targets.filter((target) => typeof target === 'object') as { weight: number }[]
  if (shares.length < targets.length) {
    tell(pointer, 'wrong_type', 'must be a list of provider_account_id and weight')
    return
  }
  const ids = shares.map((share) => (share as unknown as Record<string, unknown>).provider_account_id)
  for (const [at, id] of ids.entries()) {
    if (ids.indexOf(id) < at) tell(`${pointer}/${at}`, 'not_together', 'is in the list already')
  }
  const total = shares.reduce((sum, { weight }) => sum + weight, 0)
  if (total !== 100) tell(pointer, 'not_together', `must have weights that add up to 100, not ${total}`)
}
