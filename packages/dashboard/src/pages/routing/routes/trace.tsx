/** Why a payment would go where: each condition ticked or crossed, the draw, the accounts, and the path. */
import type { PaymentRouteSimulation } from '@switchyard/sdk'
import { Check, Minus, X } from 'lucide-react'
import { Sentence } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { type NameOf, useAccountNames, withNames } from '../../accounts.ts'
import { thenParts, whenParts } from './condition-words.ts'
import { type Condition, conditionOf, type Definition } from './definition.ts'
import { holds, type Operands } from './holds.ts'
import { RuleSentence } from './sentence.tsx'

type TraceProps = { simulation: PaymentRouteSimulation; definition: Definition }

export function Trace({ simulation, definition }: TraceProps) {
  const { nameOf } = useAccountNames()
  const { trace, path } = simulation
  return (
    <div className="grid gap-4">
      <div className="grid justify-items-start gap-2">
        <Status of={simulation.end === 'no_provider' ? 'failed' : simulation.end}>
          {endWords[simulation.end]}
        </Status>
        <Sentence>{resultText(simulation, nameOf)}</Sentence>
      </div>
      <section className="grid gap-2">
        <h3 className="font-bold">Rules</h3>
        <SeenRules {...{ simulation, definition, nameOf }} />
      </section>
      {trace.draw !== null && (
        <section className="grid gap-1">
          <h3 className="font-bold">Draw</h3>
          <p>
            Lot {trace.draw.drawn.toLocaleString('en')} of 10,000, by {trace.draw.key}:{' '}
            {nameOf(trace.draw.provider_account_id)}
          </p>
        </section>
      )}
      <Candidates candidates={trace.candidates} nameOf={nameOf} />
      {path.length > 0 && (
        <section className="grid gap-1">
          <h3 className="font-bold">Path</h3>
          <ol className="grid list-decimal gap-1 pl-5">
            {path.map((step) => (
              <li key={step.provider_account_id}>
                {nameOf(step.provider_account_id)}: {step.outcome.replaceAll('_', ' ')},{' '}
                {withNames(step.next, nameOf)}
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  )
}

const endWords: { readonly [E in PaymentRouteSimulation['end']]: string } = {
  approved: 'Approved',
  declined: 'Declined by a rule',
  failed: 'Failed',
  unknown: 'Unknown',
  no_provider: 'No provider',
}

function resultText(
  { provider_account_id: first, trace, end }: PaymentRouteSimulation,
  nameOf: NameOf,
): string {
  const cause = withNames(trace.cause, nameOf)
  if (first === null) return `It is sent to nobody: ${cause}.`
  const assumed = end === 'approved' ? '' : ' With what is assumed, it ends as shown above.'
  return `${nameOf(first)} is asked first: ${cause}.${assumed}`
}

function SeenRules({ simulation, definition, nameOf }: TraceProps & { nameOf: NameOf }) {
  const { trace, operands } = simulation
  const matched = trace.rules.find((rule) => rule.matched)
  return (
    <ol className="grid gap-3" aria-label="Rules that were looked at">
      {definition.rules.map((rule, at) => {
        const seen = trace.rules.find((one) => one.rule === at)
        return (
          <li key={rule.name} className={`grid gap-1 ${seen === undefined ? 'opacity-70' : ''}`}>
            <span className="text-compact text-ink2">
              {at + 1}. {rule.name}: {seenText(seen)}
            </span>
            <Ticked
              condition={conditionOf(rule)}
              pointer={`/rules/${at}/when`}
              operands={seen === undefined ? null : operands}
              nameOf={nameOf}
            />
          </li>
        )
      })}
      <li className="grid gap-1">
        <span className="text-compact text-ink2">
          Default: {matched === undefined ? 'decides' : 'not needed'}
        </span>
        {matched === undefined && <RuleSentence parts={thenParts(definition.default, nameOf)} />}
      </li>
    </ol>
  )
}

function seenText(seen: { readonly matched: boolean } | undefined): string {
  if (seen === undefined) return 'not looked at, a rule before it matched'
  return seen.matched ? 'matches, so it decides' : 'does not match'
}

function Ticked(props: { condition: Condition; pointer: string; operands: Operands | null; nameOf: NameOf }) {
  const { condition, pointer, operands, nameOf } = props
  return (
    <RuleSentence
      parts={whenParts(condition, pointer, nameOf)}
      mark={(part) => {
        if (part.pointer === undefined) return null
        if (operands === null) return <Minus size={14} aria-label="not looked at" />
        const at = part.pointer.slice(pointer.length)
        return holds(conditionAt(condition, at), operands) ? (
          <Check size={14} className="text-clear" aria-label="yes" />
        ) : (
          <X size={14} className="text-danger" aria-label="no" />
        )
      }}
    />
  )
}

/** Pure. The condition at a JSON pointer below another. */
function conditionAt(condition: Condition, pointer: string): Condition {
  const steps = pointer.split('/').filter((step) => step !== '')
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], condition) as Condition
}

function Candidates(props: { candidates: PaymentRouteSimulation['trace']['candidates']; nameOf: NameOf }) {
  if (props.candidates.length === 0) return null
  return (
    <section className="grid gap-1">
      <h3 className="font-bold">Accounts</h3>
      <ul className="grid gap-1">
        {props.candidates.map(({ provider_account_id: id, eligible, reasons }) => (
          <li key={id} className="flex items-center gap-2">
            {eligible ? (
              <Check size={14} className="text-clear" aria-label="can take it" />
            ) : (
              <X size={14} className="text-danger" aria-label="cannot take it" />
            )}
            {props.nameOf(id)}
            <span className="text-ink2">{reasons.length === 0 ? 'can take it' : reasons.join(', ')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
