/** Advances a clock: to the next event, by a day, a month or a year, or to a date. */
import type { AdvanceTestClock, Subscription, TestClock } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { dateTimeText, dayMs } from '../../../format/time.ts'
import { ActionForm } from '../../../ui/action.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { dayStart } from '../subscriptions/actions/day-start.ts'
import { nextEventAt } from './next-event.ts'

type Step = 'next' | 'P1D' | 'P1M' | 'P1Y' | 'date'

const steps: readonly { readonly id: Step; readonly text: string }[] = [
  { id: 'next', text: 'Next event' },
  { id: 'P1D', text: '+1 day' },
  { id: 'P1M', text: '+1 month' },
  { id: 'P1Y', text: '+1 year' },
  { id: 'date', text: 'To a date' },
]

export function Advance(props: { clock: TestClock; subscriptions: readonly Subscription[] }) {
  const { clock } = props
  const next = nextEventAt(props.subscriptions, clock.now_at)
  const [step, setStep] = useState<Step>('P1M')
  const [day, setDay] = useState('')
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const body = bodyOf(step, next, dayStart(day))
  const run = async (key: { idempotencyKey: string }) => {
    await api.testClocks.advance(clock.id, body ?? {}, key)
    await invalidate('test_clock', 'subscription', 'invoice', 'event', 'dunning_campaign')
  }
  const stepText = steps.find(({ id }) => id === step)?.text ?? ''
  return (
    <Panel title="Advance clock">
      {clock.status === 'advancing' && <AdvanceProgress clock={clock} />}
      {/* A new form after each advance, so that it gets a new idempotency key. */}
      <ActionForm
        key={clock.now_at}
        submit={step === 'date' ? 'Advance clock to date' : `Advance clock: ${stepText.toLowerCase()}`}
        disabledReason={disabledReasonFor('test_clocks.advance') ?? advanceDisabledReason(clock, step, body)}
        call={{
          method: 'POST',
          path: `/test-clocks/${clock.id}/advance`,
          body: body ?? {},
          sdk: { method: 'testClocks.advance', args: [clock.id, body ?? {}] },
        }}
        run={run}
        onDone={() => undefined}
      >
        <fieldset className="flex flex-wrap items-end gap-2">
          <legend className="mb-1 font-bold">Advance by</legend>
          {steps.map(({ id, text }) => (
            <button
              key={id}
              type="button"
              aria-pressed={step === id}
              onClick={() => setStep(id)}
              className="min-h-8 rounded-control border border-edge px-3 font-bold aria-pressed:border-ink aria-pressed:bg-ink aria-pressed:text-surface max-md:min-h-11"
            >
              {text}
            </button>
          ))}
        </fieldset>
        {step === 'date' && (
          <div className="max-w-60">
            <TextField label="Date" type="date" value={day} onChange={setDay} pointer="/to_at" />
          </div>
        )}
        {step === 'next' && (
          <p className="text-ink2">
            {next === null ? 'No upcoming events.' : `The next event is at ${dateTimeText(next, true)} UTC.`}
          </p>
        )}
      </ActionForm>
    </Panel>
  )
}

function bodyOf(step: Step, next: string | null, day: string | null): AdvanceTestClock | null {
  if (step === 'next') return next === null ? null : { to_at: next }
  if (step === 'date') return day === null ? null : { to_at: day }
  return { by: step }
}

function advanceDisabledReason(
  { status, now_at }: TestClock,
  step: Step,
  body: AdvanceTestClock | null,
): string | null {
  if (status === 'advancing') return 'The clock is already advancing.'
  if (body === null) return step === 'next' ? 'No upcoming events.' : 'Choose a date first.'
  const isInPast = typeof body.to_at === 'string' && Date.parse(body.to_at) <= Date.parse(now_at)
  return isInPast ? 'A clock can only move forward. Choose a later date.' : null
}

function AdvanceProgress({ clock: { created_at, now_at, target_at } }: { clock: TestClock }) {
  const start = Math.min(Date.parse(created_at), Date.parse(now_at))
  const [done, total] = [now_at, target_at ?? now_at].map((at) =>
    Math.round((Date.parse(at) - start) / dayMs),
  )
  return (
    <div className="mb-4">
      <Progress label="Days advanced" done={done ?? 0} total={total ?? null} />
    </div>
  )
}
