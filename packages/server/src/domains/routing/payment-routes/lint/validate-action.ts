/** Validates an action beyond the schema: only members of its type are allowed, and weights must add up. */
import type { Fault } from '../../../../kernel/errors.ts'
import { maxCounts } from '../payment-route.ts'

/** Records a validation error. */
type AddError = (pointer: string, code: Fault['code'], detail: string) => void
type SentAction = {
  readonly type: string
  readonly targets?: readonly unknown[]
  readonly key?: string
  readonly salt?: string
  readonly fallback?: readonly unknown[]
  readonly order_by?: string
  readonly adaptive?: { readonly segment_by?: readonly string[] }
}

const allowedMembers: { readonly [type: string]: readonly string[] } = {
  priority: ['type', 'targets', 'order_by', 'adaptive'],
  split: ['type', 'targets', 'key', 'salt', 'fallback'],
  decline: ['type'],
}

export function validateAction(action: unknown, pointer: string, addError: AddError): void {
  const sent = action as SentAction
  const allowedForType = allowedMembers[sent.type] ?? []
  for (const member of Object.keys(sent)) {
    if (!allowedForType.includes(member))
      addError(`${pointer}/${member}`, 'not_together', `cannot be combined with the action ${sent.type}`)
  }
  if (sent.type === 'decline') return
  const { targets, fallback = [] } = sent
  if (targets === undefined) addError(`${pointer}/targets`, 'required', 'is required')
  else if (sent.type === 'priority') checkIds(targets, `${pointer}/targets`, addError)
  else checkShares(targets, `${pointer}/targets`, addError)
  if (sent.type === 'split') checkIds(fallback, `${pointer}/fallback`, addError)
  if (sent.order_by !== undefined && sent.adaptive !== undefined)
    addError(`${pointer}/order_by`, 'not_together', 'cannot be combined with adaptive')
  checkSegments(sent.adaptive?.segment_by ?? [], `${pointer}/adaptive/segment_by`, addError)
}

function checkSegments(fields: readonly string[], pointer: string, addError: AddError): void {
  for (const [index, field] of fields.entries()) {
    if (fields.indexOf(field) < index) addError(`${pointer}/${index}`, 'not_together', 'is a duplicate')
  }
}

function checkIds(targets: readonly unknown[], pointer: string, addError: AddError): void {
  for (const [index, target] of targets.entries()) {
    if (typeof target !== 'string') addError(`${pointer}/${index}`, 'wrong_type', 'must be a string')
    else if (targets.indexOf(target) < index)
      addError(`${pointer}/${index}`, 'not_together', 'is a duplicate')
  }
  if (targets.length > maxCounts.targets)
    addError(pointer, 'too_many', `must have at most ${maxCounts.targets} entries`)
}

function checkShares(targets: readonly unknown[], pointer: string, addError: AddError): void {
  const shares = targets.filter((target) => typeof target === 'object') as { weight: number }[]
  if (shares.length < targets.length) {
    addError(pointer, 'wrong_type', 'must be an array of objects with provider_account_id and weight')
    return
  }
  const ids = shares.map((share) => (share as unknown as Record<string, unknown>).provider_account_id)
  for (const [index, id] of ids.entries()) {
    if (ids.indexOf(id) < index) addError(`${pointer}/${index}`, 'not_together', 'is a duplicate')
  }
  const total = shares.reduce((sum, { weight }) => sum + weight, 0)
  if (total !== 100) addError(pointer, 'not_together', `must have weights that add up to 100, not ${total}`)
}
