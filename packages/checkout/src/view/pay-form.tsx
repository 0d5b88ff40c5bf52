/** The form: what is asked, what is wrong with it, and one button that says what it takes. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { PublicSession, Sale } from '../doors.ts'
import {
  choiceOf,
  chosenAmount,
  confirmationOf,
  type Faults,
  faultOf,
  faultsOf,
  type Values,
} from '../form.ts'
import { moneyText, plainAmount } from '../money.ts'
import type { Form } from '../state.ts'
import type { Till } from '../till.ts'
import { currentLocale, say } from '../words.ts'
import { AddressFields } from './address-fields.tsx'
import { Advice } from './advice.tsx'
import { CardFields } from './card-fields.tsx'
import { ContactFields } from './contact-fields.tsx'
import { TestCards } from './test-cards.tsx'

/** What a group of fields needs of the form around it. */
export type Fields = {
  readonly sale: Sale
  readonly values: Values
  readonly faults: Faults
  readonly type: (changes: Values) => void
  readonly leave: (field: string) => void
}

const none: Faults = new Map()

type Props = { form: Form; till: Till; values: Values; type: (changes: Values) => void }

export function PayForm({ form, till, values: typed, type: onType }: Props) {
  const { sale, message, isSending } = form
  const values = { ...offered(sale), ...typed }
  const [faults, setFaults] = useState(none)
  const place = useRef<HTMLFormElement>(null)

  /** Who has pressed the button has to learn what is wrong: the first field that is, or the message above. */
  const point = () => requestAnimationFrame(() => goToWhatIsWrong(place.current))
  useEffect(() => {
    // What the server found is shown like what we find ourselves.
    if (message?.is === 'faults') setFaults(message.faults)
    if (message !== null) point()
  }, [message])

  const type = (changes: Values) => {
    onType(changes)
    setFaults((before) => new Map([...before].filter(([field]) => !(field in changes))))
  }
  /** Leaving a field that was filled in says what is wrong with it; one that was only passed says nothing yet. */
  const leave = (field: string) => {
    const fault = values[field] ? faultOf(field, values, sale, new Date()) : null
    if (fault !== null) setFaults((before) => new Map([...before, [field, fault]]))
  }
  const submit = (event: Event) => {
    event.preventDefault()
    const found = faultsOf(values, sale, new Date())
    setFaults(found)
    if (found.size > 0) return void point()
    void till.pay(JSON.stringify(confirmationOf(values, sale)), choiceOf(values, sale))
  }
  const fields = { sale, values, faults, type, leave }

  return (
    <form ref={place} noValidate onSubmit={submit} aria-busy={isSending}>
      <Advice message={message} faults={faults.size} />
      <fieldset class="plain" inert={isSending}>
        <ContactFields {...fields} />
        <AddressFields {...fields} group="shipping_address" />
        {sale.test_cards !== undefined && <TestCards cards={sale.test_cards} type={type} />}
        <CardFields {...fields} />
        <AddressFields {...fields} group="billing_address" />
      </fieldset>
      <PayButton amount={chosenAmount(values, sale)} sale={sale} isSending={isSending} />
      {'cancel_url' in sale && <BackLink session={sale as PublicSession} />}
    </form>
  )
}

function BackLink({ session: { cancel_url, seller } }: { session: PublicSession }) {
  if (cancel_url === null) return null
  return (
    <a class="back" href={cancel_url}>
      {say('back_to', { seller: seller.name })}
    </a>
  )
}

function PayButton({ amount, sale, isSending }: { amount: number | null; sale: Sale; isSending: boolean }) {
  const isLate = useLater(isSending, 4_000)
  const words =
    amount === null ? say('pay_open') : say('pay', { amount: moneyText(amount, sale, currentLocale()) })
  return (
    <>
      <button class="action" type="submit" aria-disabled={isSending}>
        {isSending ? say('paying') : words}
      </button>
      <p class="hint" role="status">
        {isLate && say('still_working')}
      </p>
    </>
  )
}

function useLater(isOn: boolean, afterMs: number): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    setLate(false)
    if (!isOn) return
    const timer = setTimeout(() => setLate(true), afterMs)
    return () => clearTimeout(timer)
  }, [isOn, afterMs])
  return isLate
}

/** What stands in the fields before anybody has typed. */
function offered(sale: Sale): Values {
  const suggested = sale.open_amount?.suggested ?? null
  const quantity = String(sale.items[0]?.quantity ?? 1)
  return suggested === null
    ? { quantity }
    : { quantity, amount: plainAmount(suggested, sale, currentLocale()) }
}

function goToWhatIsWrong(form: HTMLFormElement | null): void {
  const field = form?.querySelector<HTMLElement>('[aria-invalid=true]')
  ;(field ?? form?.querySelector<HTMLElement>('.advice'))?.focus()
}
