/** The pay button with the amount, and the link back to the shop. */
import { useEffect, useState } from 'preact/hooks'
import type { PublicSession, Sale } from '../api.ts'
import { amountToPay } from '../form.ts'
import { formatMoney } from '../money.ts'
import { currentLocale, translate } from '../translations.ts'
import type { FooterProps } from './pay-form.tsx'

export function PayFooter({ form: { sale, isSending }, values }: FooterProps) {
  return (
    <>
      <PayButton amount={amountToPay(values, sale)} sale={sale} isSending={isSending} />
      {'cancel_url' in sale && <BackLink session={sale as PublicSession} />}
    </>
  )
}

function BackLink({ session: { cancel_url, seller } }: { session: PublicSession }) {
  if (cancel_url === null) return null
  return (
    <a class="back" href={cancel_url}>
      {translate('back_to', { seller: seller.name })}
    </a>
  )
}

function PayButton({ amount, sale, isSending }: { amount: number | null; sale: Sale; isSending: boolean }) {
  const isLate = useDelayed(isSending, 4_000)
  return (
    <>
      {/* Pressing the button keeps the focus in its field. Otherwise an error below the field could move the button away
          before it is released, and the click would be lost. */}
      <button
        class="action"
        type="submit"
        aria-disabled={isSending}
        onMouseDown={(event) => event.preventDefault()}
      >
        {isSending ? translate('paying') : labelOf(amount, sale)}
      </button>
      <p class="hint" role="status">
        {isLate && translate('still_working')}
      </p>
    </>
  )
}

function labelOf(amount: number | null, sale: Sale): string {
  if (sale.checkout_mode === 'setup') return translate('save_card')
  if (sale.subscription !== null && amount === 0) return translate('subscribe')
  if (amount === null) return translate('pay_open')
  return translate('pay', { amount: formatMoney(amount, sale, currentLocale()) })
}

function useDelayed(isOn: boolean, afterMs: number): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    setLate(false)
    if (!isOn) return
    const timer = setTimeout(() => setLate(true), afterMs)
    return () => clearTimeout(timer)
  }, [isOn, afterMs])
  return isLate
}
