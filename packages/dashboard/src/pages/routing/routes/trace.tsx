/** The trace of a simulation: each condition with its result, the weighted draw, the accounts, and the path. */
import type { PaymentRouteSimulation } from '@switchyard/sdk'
import { Check, Minus, X } from 'lucide-react'
import { moneyText } from '../../../format/money.ts'
import { Sentence } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { type NameOf, useAccountNames, withNames } from '../../accounts.ts'
import { thenParts, whenParts } from './condition-text.ts'
import { type Condition, conditionOf, type Definition } from './definition.ts'
import { matches, type Operands } from './match-condition.ts'
import { RuleSentence } from './rule-sentence.tsx'

type TraceProps = { simulation: PaymentRouteSimulation; definition: Definition }

export function Trace({ simulation, definition }: TraceProps) {
  const { nameOf } = useAccountNames()
  const { trace, path } = simulation
  return (
    <div className="grid gap-4">
      <div className="grid justify-items-start gap-2">
        <Status status={simulation.end === 'no_provider' ? 'failed' : simulation.end}>
          {endLabels[simulation.end]}
        </Status>
        <Sentence>{resultText(simulation, nameOf)}</Sentence>
      </div>
      <section className="grid gap-2">
        <h3 className="font-bold">Rules</h3>
        <EvaluatedRules simulation={simulation} definition={definition} nameOf={nameOf} />
      </section>
      {trace.draw !== null && (
        <section className="grid gap-1">
          <h3 className="font-bold">Weighted split</h3>
          <p>
            Drew {trace.draw.drawn.toLocaleString('en')} (from 0 to 9,999), by {trace.draw.key}:{' '}
            {nameOf(trace.draw.provider_account_id)}
          </p>
        </section>
      )}
      <Candidates
        candidates={trace.candidates}
        currency={String(simulation.operands.currency)}
        nameOf={nameOf}
      />
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

const endLabels: { readonly [E in PaymentRouteSimulation['end']]: string } = {
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
  if (first === null) return `No provider is tried: ${cause}.`
  const assumptionText =
    end === 'approved' ? '' : ' With the assumed outcome, the payment ends as shown above.'
  return `${nameOf(first)} is tried first: ${cause}.${assumptionText}`
}

function EvaluatedRules({ simulation, definition, nameOf }: TraceProps & { nameOf: NameOf }) {
  const { trace } = simulation
  // Estimated costs are computed for each account, so only the trace contains them.
  const operands = { ...simulation.operands, ...trace.operands } as Operands
  const matched = trace.rules.find((rule) => rule.matched)
  return (
    <ol className="grid gap-3" aria-label="Evaluated rules">
      {definition.rules.map((rule, index) => {
        const evaluated = trace.rules.find((one) => one.rule === index)
        return (
          <li key={rule.name} className={`grid gap-1 ${evaluated === undefined ? 'opacity-70' : ''}`}>
            <span className="text-compact text-ink2">
              {index + 1}. {rule.name}: {evaluationText(evaluated)}
            </span>
            <EvaluatedCondition
              condition={conditionOf(rule)}
              pointer={`/rules/${index}/when`}
              operands={evaluated === undefined ? null : operands}
              nameOf={nameOf}
            />
          </li>
        )
      })}
      <li className="grid gap-1">
        <span className="text-compact text-ink2">
          Default: {matched === undefined ? 'applies' : 'not needed'}
        </span>
        {matched === undefined && <RuleSentence parts={thenParts(definition.default, nameOf)} />}
      </li>
    </ol>
  )
}

function evaluationText(evaluated: { readonly matched: boolean } | undefined): string {
  if (evaluated === undefined) return 'not evaluated, an earlier rule matched'
  return evaluated.matched ? 'matches and applies' : 'does not match'
}

function EvaluatedCondition(props: {
  condition: Condition
  pointer: string
  operands: Operands | null
  nameOf: NameOf
}) {
  const { condition, pointer, operands, nameOf } = props
  return (
    <RuleSentence
      parts={whenParts(condition, pointer, nameOf)}
      mark={(part) => {
        if (part.pointer === undefined) return null
        if (operands === null) return <Minus size={14} aria-label="not evaluated" />
        const relativePointer = part.pointer.slice(pointer.length)
        return matches(conditionAt(condition, relativePointer), operands) ? (
          <Check size={14} className="text-success" aria-label="yes" />
        ) : (
          <X size={14} className="text-danger" aria-label="no" />
        )
      }}
    />
  )
}

function costText(cost: number | null, currency: string): string {
  return cost === null ? 'estimated cost unknown' : `estimated cost ${moneyText(cost, currency)}`
}

/** The nested condition at a JSON pointer relative to `condition`. Has no side effects. */
function conditionAt(condition: Condition, pointer: string): Condition {
  const steps = pointer.split('/').filter((step) => step !== '')
  return steps.reduce<unknown>(
    (value, step) => (value as Record<string, unknown>)[step],
    condition,
  ) as Condition
}

type Candidate = PaymentRouteSimulation['trace']['candidates'][number]

function Candidates(props: { candidates: readonly Candidate[]; currency: string; nameOf: NameOf }) {
  if (props.candidates.length === 0) return null
  return (
    <section className="grid gap-1">
      <h3 className="font-bold">Accounts</h3>
      <ul className="grid gap-1">
        {props.candidates.map(({ provider_account_id: id, eligible, reasons, estimated_cost: cost }) => (
          <li key={id} className="flex items-center gap-2">
            {eligible ? (
              <Check size={14} className="text-success" aria-label="eligible" />
            ) : (
              <X size={14} className="text-danger" aria-label="not eligible" />
            )}
            {props.nameOf(id)}
            <span className="text-ink2">
              {reasons.length === 0 ? 'eligible' : reasons.join(', ')}
              {cost !== undefined && `, ${costText(cost, props.currency)}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
