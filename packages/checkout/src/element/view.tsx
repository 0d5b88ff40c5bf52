/** The content of the frame: the form of the payment page without its button, or the state of the payment. */
import { useEffect, useReducer, useRef } from 'preact/hooks'
import type { Values } from '../form.ts'
import type { PaymentController } from '../payment-controller.ts'
import type { Receipt, State } from '../state.ts'
import { currentLocale } from '../translations.ts'
import { inputValues, updateInput } from '../view/form-input.ts'
import { NoticePanel } from '../view/notice.tsx'
import { PayForm } from '../view/pay-form.tsx'
import { headline } from '../view/receipt.tsx'
import { WaitingPanel } from '../view/waiting.tsx'

type Props = {
  readonly state: State
  readonly controller: PaymentController
  /** Pays only if the page of the merchant has requested it. */
  readonly payments: Pick<PaymentController, 'pay' | 'tryNextFields' | 'address'>
  readonly onInput: () => void
  readonly onValidity: (isValid: boolean) => void
}

export function ElementView({ state, controller, payments, onInput, onValidity }: Props) {
  // The input is stored outside of the component, so the component must be rendered again.
  const [, render] = useReducer((revision: number) => revision + 1, 0)
  const changeValues = (changes: Values) => {
    updateInput(changes)
    render(undefined)
    onInput()
  }
  switch (state.kind) {
    case 'loading':
      return null
    case 'notice':
      return <NoticePanel notice={state.notice} isOnlyPanel={false} />
    case 'form':
      // A change of language renders the form again, because error messages are stored as text. The input is kept.
      return (
        <PayForm
          key={currentLocale()}
          form={state}
          controller={payments}
          values={inputValues()}
          changeValues={changeValues}
          onValidity={onValidity}
        />
      )
    case 'waiting':
      return <WaitingPanel waiting={state} controller={controller} />
    case 'receipt':
      return <PaidPanel receipt={state} />
  }
}

/** The page of the merchant shows its own confirmation, so this is one line. */
function PaidPanel({ receipt: { session } }: { receipt: Receipt }) {
  const title = useRef<HTMLHeadingElement>(null)
  // Only if the payer was in the frame: a page that shows a completed session keeps its focus.
  useEffect(() => (document.hasFocus() ? title.current?.focus() : undefined), [])
  return (
    <div role="status">
      <h2 ref={title} tabIndex={-1} class="paid">
        <span class="disc" aria-hidden="true" />
        {session.payment !== null && headline(session, session.payment)}
      </h2>
    </div>
  )
}
