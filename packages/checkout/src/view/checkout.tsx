/** The whole page: the order summary on one side, and the form or its result on the other. */
import { useEffect, useState } from 'preact/hooks'
import type { Sale } from '../api.ts'
import type { Values } from '../form.ts'
import { formatMoney } from '../money.ts'
import type { PaymentController } from '../payment-controller.ts'
import { type State, saleOf } from '../state.ts'
import { currentLocale, translate } from '../translations.ts'
import { inputValues, updateInput } from './form-input.ts'
import { NoticePanel } from './notice.tsx'
import { PayFooter } from './pay-button.tsx'
import { PayForm } from './pay-form.tsx'
import { ReceiptPanel } from './receipt.tsx'
import { Summary } from './summary.tsx'
import { WaitingPanel } from './waiting.tsx'

export function Checkout({ state, controller }: { state: State; controller: PaymentController }) {
  const sale = saleOf(state)
  const [, setRevision] = useState(0)
  const values = inputValues()
  const changeValues = (changes: Values) => {
    updateInput(changes)
    // The input is stored outside of the component, so the component must be rendered again.
    setRevision((revision) => revision + 1)
  }
  useEffect(() => applyAccentColour(sale), [sale?.seller.accent_color])
  useEffect(() => {
    if (sale !== null) document.title = titleOf(sale)
  })
  return (
    <div class={sale === null ? 'sheet alone' : 'sheet'}>
      {sale?.mode === 'test' && <p class="band">{translate('test_mode')}</p>}
      {sale !== null && <Summary sale={sale} state={state} values={values} />}
      <section class="payment">
        <Panel state={state} controller={controller} values={values} changeValues={changeValues} />
      </section>
    </div>
  )
}

type PanelProps = {
  state: State
  controller: PaymentController
  values: Values
  changeValues: (changes: Values) => void
}

function Panel({ state, controller, values, changeValues }: PanelProps) {
  switch (state.kind) {
    case 'loading':
      return null
    case 'notice':
      return <NoticePanel notice={state.notice} isOnlyPanel={state.sale === null} />
    case 'form':
      return (
        <PayForm
          form={state}
          controller={controller}
          values={values}
          changeValues={changeValues}
          Footer={PayFooter}
        />
      )
    case 'waiting':
      return <WaitingPanel waiting={state} controller={controller} />
    case 'receipt':
      return <ReceiptPanel receipt={state} controller={controller} />
  }
}

function titleOf(sale: Sale): string {
  const { name } = sale.seller
  return sale.amount === null ? name : `${formatMoney(sale.amount, sale, currentLocale())} · ${name}`
}

/** Applies the seller's accent colour to the button. The server has chosen a readable text colour. */
function applyAccentColour(sale: Sale | null): void {
  const { accent_color: colour = null, accent_text_color: textColour = null } = sale?.seller ?? {}
  if (colour === null || textColour === null) return
  const { style } = document.documentElement
  style.setProperty('--action', colour)
  style.setProperty('--on-action', textColour)
}
