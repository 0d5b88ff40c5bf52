/** The page as a whole: who sells what on one side, and on the other what the payer can do or has to know. */
import { useEffect, useState } from 'preact/hooks'
import type { Sale } from '../doors.ts'
import type { Values } from '../form.ts'
import { moneyText } from '../money.ts'
import { type State, saleOf } from '../state.ts'
import type { Till } from '../till.ts'
import { currentLocale, say } from '../words.ts'
import { NoticePanel } from './notice.tsx'
import { PayForm } from './pay-form.tsx'
import { ReceiptPanel } from './receipt.tsx'
import { Summary } from './summary.tsx'
import { typedValues, typeInto } from './typed.ts'
import { WaitingPanel } from './waiting.tsx'

export function Checkout({ state, till }: { state: State; till: Till }) {
  const sale = saleOf(state)
  const [, setTurn] = useState(0)
  const values = typedValues()
  const type = (changes: Values) => {
    typeInto(changes)
    setTurn((turn) => turn + 1)
  }
  useEffect(() => wear(sale), [sale?.seller.accent_color])
  useEffect(() => {
    if (sale !== null) document.title = titleOf(sale)
  })
  return (
    <div class={sale === null ? 'sheet alone' : 'sheet'}>
      {sale?.mode === 'test' && <p class="band">{say('test_mode')}</p>}
      {sale !== null && <Summary sale={sale} state={state} values={values} />}
      <section class="till">
        <Panel state={state} till={till} values={values} type={type} />
      </section>
    </div>
  )
}

type PanelProps = { state: State; till: Till; values: Values; type: (changes: Values) => void }

function Panel({ state, till, values, type }: PanelProps) {
  switch (state.is) {
    case 'loading':
      return null
    case 'notice':
      return <NoticePanel notice={state.notice} isAlone={state.sale === null} />
    case 'form':
      return <PayForm form={state} till={till} values={values} type={type} />
    case 'waiting':
      return <WaitingPanel waiting={state} till={till} />
    case 'receipt':
      return <ReceiptPanel receipt={state} till={till} />
  }
}

function titleOf(sale: Sale): string {
  const { name } = sale.seller
  return sale.amount === null ? name : `${moneyText(sale.amount, sale, currentLocale())} · ${name}`
}

/** The seller's colour, on the button. What is read on it the server has chosen; an edge of its own sets it off. */
function wear(sale: Sale | null): void {
  const { accent_color: colour = null, accent_text_color: ink = null } = sale?.seller ?? {}
  if (colour === null || ink === null) return
  const { style } = document.documentElement
  style.setProperty('--action', colour)
  style.setProperty('--on-action', ink)
}
