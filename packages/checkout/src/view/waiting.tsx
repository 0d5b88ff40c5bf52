/** Shown while the outcome is pending. It does not offer to pay again. */
import { useEffect, useRef } from 'preact/hooks'
import { formatMoney } from '../money.ts'
import type { PaymentController } from '../payment-controller.ts'
import type { Waiting } from '../state.ts'
import { currentLocale, translate } from '../translations.ts'
import { Lazy } from './lazy.tsx'

const titles = {
  processing: 'processing',
  unknown: 'unknown',
  lost: 'reconnecting',
  bank: 'bank',
  turn: 'turn',
} as const

const loadRedirectPanel = async () => (await import('./methods.tsx')).RedirectPanel

type Props = { waiting: Waiting; controller: PaymentController }

export function WaitingPanel(props: Props) {
  const { method, amount, sale } = props.waiting
  if (method === undefined || method === 'card') return <CardPanel {...props} />
  const money = formatMoney(amount ?? 0, sale, currentLocale())
  return <Lazy load={loadRedirectPanel} props={{ ...props, money }} />
}

function CardPanel({ waiting, controller }: Props) {
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus(), [waiting.for])
  return (
    <div class="panel waiting" role="status">
      {/* No spinner while the bank waits for the payer. */}
      {waiting.for !== 'bank' && (
        <span class={waiting.for === 'unknown' ? 'ring' : 'moving'} aria-hidden="true" />
      )}
      <h2 ref={title} tabIndex={-1}>
        {translate(titles[waiting.for])}
      </h2>
      <p>{textOf(waiting)}</p>
      {waiting.for === 'bank' && (
        <button class="action" type="button" onClick={() => controller.goToBank()}>
          {translate('bank_go')}
        </button>
      )}
      {waiting.for === 'turn' && (
        <button class="action" type="button" onClick={() => controller.stopWaiting()}>
          {translate('turn_stop')}
        </button>
      )}
    </div>
  )
}

function textOf({ for: reason, sale, amount, seconds = 1 }: Waiting): string {
  if (reason === 'turn') return translate('turn_text', { time: secondsText(seconds) })
  if (reason !== 'bank') return translate(`${titles[reason]}_text`)
  if (!amount) return translate('bank_save_text')
  const money = formatMoney(amount, sale, currentLocale())
  return translate('bank_text', { amount: money, seller: sale.seller.name })
}

function secondsText(seconds: number): string {
  const options = { style: 'unit', unit: 'second', unitDisplay: 'long' } as const
  return new Intl.NumberFormat(currentLocale(), options).format(seconds)
}
