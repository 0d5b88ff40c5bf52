/** The year simulation: choose how the card behaves, and see a year of billing. */
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason, useWorkspace } from '../../../api/workspace.tsx'
import { ActionForm } from '../../../ui/action.tsx'
import { CodeBlock } from '../../../ui/code.tsx'
import { RadioField } from '../../../ui/fields.tsx'
import { useOpenPage } from '../../../ui/link.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { type Preset, presets, scriptOf } from './presets.ts'
import { simulateYear } from './simulate-year.ts'

export function YearForm() {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  const { workspace } = useWorkspace()
  const [id, setId] = useState('month_3')
  const [step, setStep] = useState('')
  const preset = presets.find((one) => one.id === id) as Preset
  const run = async ({ idempotencyKey }: { idempotencyKey: string }) => {
    try {
      const clockId = await simulateYear(api, preset, idempotencyKey, setStep)
      openPage(`/test-clocks/${clockId}`)
      void invalidate('test_clock', 'subscription', 'customer', 'product', 'price')
    } finally {
      setStep('')
    }
  }
  return (
    <Panel
      title="Year simulation"
      titleExtra="creates a clock with its own customer, card, price and subscription"
    >
      <ActionForm
        submit="Simulate a year"
        disabledReason={disabledReasonFor('test_clocks.advance')}
        run={run}
        onDone={() => undefined}
      >
        <RadioField legend="Scenario" value={id} onChange={setId} options={presets.map(optionOf)} />
        <p role="status" className="min-h-5 text-ink2">
          {step}
        </p>
      </ActionForm>
      <details className="mt-4 border-t border-line pt-3">
        <summary className="cursor-pointer font-bold text-ink2 hover:text-ink">Show as API call</summary>
        <div className="mt-2">
          <CodeBlock text={scriptOf(preset, workspace.address)} label="TypeScript" />
        </div>
      </details>
    </Panel>
  )
}

function optionOf({ id, text, hint }: Preset) {
  return { value: id, text, hint }
}
