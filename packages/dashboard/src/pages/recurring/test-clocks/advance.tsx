/** Moves a clock: to what comes next, by a day, by a month, or to a date. */
import type { AdvanceTestClock, Subscription, TestClock } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { dateTimeText, dayMs } from '../../../format/time.ts'
import { ActionForm } from '../../../ui/action.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { dayStart } from '../subscriptions/acts/day-start.ts'
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
  const may = useMay()
  const reread = useReread()
  const body = bodyOf(step, next, dayStart(day))
  const run = async (key: { idempotencyKey: string }) => {
    await api.testClocks.advance(clock.id, body ?? {}, key)
    await reread('test_clock', 'subscription', 'invoice', 'event', 'dunning_campaign')
  }
  const words = steps.find(({ id }) => id === step)?.text ?? ''
  return (
    <Panel title="Move the clock">
      {clock.status === 'advancing' && <OnItsWay clock={clock} />}
      {/* With another time behind it, it is another form: its key has to be another one too. */}
      <ActionForm
        key={clock.now_at}
        submit={step === 'date' ? 'Move to the date' : `Move: ${words.toLowerCase()}`}
        refused={may('test_clocks.advance') ?? whyNot(clock, step, body)}
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
          <legend className="mb-1 font-bold">How far</legend>
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
            {next === null
              ? 'Nothing is known to come.'
              : `Something happens at ${dateTimeText(next, true)} UTC.`}
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

function whyNot({ status, now_at }: TestClock, step: Step, body: AdvanceTestClock | null): string | null {
  if (status === 'advancing') return 'The clock is on its way.'
  if (body === null) return step === 'next' ? 'Nothing is known to come.' : 'Choose a date first.'
  const isBack = typeof body.to_at === 'string' && Date.parse(body.to_at) <= Date.parse(now_at)
  return isBack ? 'A clock only moves forward: choose a later date.' : null
}

function OnItsWay({ clock: { created_at, now_at, target_at } }: { clock: TestClock }) {
  const start = Math.min(Date.parse(created_at), Date.parse(now_at))
  const [done, total] = [now_at, target_at ?? now_at].map((at) =>
    Math.round((Date.parse(at) - start) / dayMs),
  )
  return (
    <div className="mb-4">
      <Progress label="Days that have passed" done={done ?? 0} total={total ?? null} />
    </div>
  )
}
