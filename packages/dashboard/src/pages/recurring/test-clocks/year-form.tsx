/** "A year on one screen": choose what the card does, and look at what comes of it. */
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useHere, useMay } from '../../../api/workspace.tsx'
import { ActionForm } from '../../../ui/action.tsx'
import { CodeBlock } from '../../../ui/code.tsx'
import { RadioField } from '../../../ui/fields.tsx'
import { useGo } from '../../../ui/link.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { liveAYear } from './live-a-year.ts'
import { type Preset, presets, scriptOf } from './presets.ts'

export function YearForm() {
  const api = useApi()
  const may = useMay()
  const go = useGo()
  const reread = useReread()
  const { workspace } = useHere()
  const [id, setId] = useState('month_3')
  const [step, setStep] = useState('')
  const preset = presets.find((one) => one.id === id) as Preset
  const run = async ({ idempotencyKey }: { idempotencyKey: string }) => {
    try {
      const clockId = await liveAYear(api, preset, idempotencyKey, setStep)
      go(`/test-clocks/${clockId}`)
      void reread('test_clock', 'subscription', 'customer', 'product', 'price')
    } finally {
      setStep('')
    }
  }
  return (
    <Panel
      title="A year on one screen"
      beside="customer, card, price and subscription on a clock of their own"
    >
      <ActionForm
        submit="Live the year"
        refused={may('test_clocks.advance')}
        run={run}
        onDone={() => undefined}
      >
        <RadioField legend="What happens" value={id} onChange={setId} options={presets.map(asOption)} />
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

function asOption({ id, text, hint }: Preset) {
  return { value: id, text, hint }
}
