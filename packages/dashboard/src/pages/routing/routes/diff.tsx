/** The differences between two revisions, with the old and new values. */
import type { PaymentRouteDiff } from '@switchyard/sdk'
import { useObject } from '../../../api/queries.ts'
import { Loaded } from '../../../ui/states.tsx'
import { type NameOf, useAccountNames, withNames } from '../../accounts.ts'
import { actionText, whenParts } from './condition-text.ts'
import type { Action, Condition } from './definition.ts'

type Change = PaymentRouteDiff['changes'][number]

export function Diff({ routeId, revision, against }: { routeId: string; revision: number; against: number }) {
  const diff = useObject(['payment_route', routeId, 'diff', revision, against], (api, signal) =>
    api.paymentRoutes.diff(routeId, revision, { against }, { signal }),
  )
  const { nameOf } = useAccountNames()
  return (
    <Loaded query={diff}>
      {({ changes }) =>
        changes.length === 0 ? (
          <p className="text-ink2">
            Revision {revision} is identical to revision {against}.
          </p>
        ) : (
          <ul aria-label={`Changes from revision ${against} to ${revision}`} className="grid gap-2">
            {changes.map((change) => (
              <ChangeRow key={`${change.pointer} ${change.change}`} change={change} nameOf={nameOf} />
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

function ChangeRow({ change, nameOf }: { change: Change; nameOf: NameOf }) {
  const isMove = change.change === 'moved'
  return (
    <li className="grid gap-1 border-b border-line pb-2 last:border-0">
      <span className="font-bold">{change.words.charAt(0).toUpperCase() + change.words.slice(1)}</span>
      {!isMove && change.from !== null && (
        <DiffLine sign="−" tone="text-danger" text={valueText(change.from, change.pointer, nameOf)} />
      )}
      {!isMove && change.to !== null && (
        <DiffLine sign="+" tone="text-success" text={valueText(change.to, change.pointer, nameOf)} />
      )}
    </li>
  )
}

function DiffLine({ sign, tone, text }: { sign: string; tone: string; text: string }) {
  return (
    <span className={`flex gap-2 font-mono text-compact break-words ${tone}`}>
      <span>{sign}</span>
      <span className="min-w-0">{text}</span>
    </span>
  )
}

/** Rules, conditions and actions as sentences; other values as JSON. */
export function valueText(value: unknown, pointer: string, nameOf: NameOf): string {
  if (typeof value !== 'object' || value === null) return withNames(String(value), nameOf)
  const { when, then, type } = value as Record<string, unknown>
  if (when !== undefined && then !== undefined)
    return `${sentence(when, nameOf)} send to ${actionText(then as Action, nameOf)}`
  if (typeof type === 'string') return actionText(value as Action, nameOf)
  if (isCondition(value)) return sentence(value, nameOf)
  return Array.isArray(value) ? listText(value, pointer, nameOf) : withNames(JSON.stringify(value), nameOf)
}

function listText(value: readonly unknown[], pointer: string, nameOf: NameOf): string {
  if (value.every(isCondition)) return sentence({ [joinOf(pointer)]: value }, nameOf)
  if (!value.every(isTarget)) return withNames(JSON.stringify(value), nameOf)
  const type = typeof value[0] === 'string' ? 'priority' : 'split'
  return actionText({ type, targets: value as string[] }, nameOf)
}

function sentence(condition: unknown, nameOf: NameOf): string {
  return whenParts(condition as Condition, '', nameOf)
    .map(({ text }) => text)
    .join(' ')
}

/** The pointer shows whether a list of conditions is joined by `all` or `any`. */
function joinOf(pointer: string): 'all' | 'any' {
  return pointer.endsWith('/any') ? 'any' : 'all'
}

function isCondition(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return 'all' in value || 'any' in value || 'not' in value || ('field' in value && 'op' in value)
}

function isTarget(value: unknown): boolean {
  if (typeof value === 'string') return value.startsWith('provider_account_')
  return typeof value === 'object' && value !== null && 'provider_account_id' in value
}
