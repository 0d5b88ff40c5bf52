/** The payment form: fields and error messages. */
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CardEntry, Sale } from '../api.ts'
import { hasFields } from '../fields/choice.ts'
import type { CardFields as ProviderCardFields } from '../fields/mount.ts'
import {
  choiceOf,
  chosenAmount,
  confirmationOf,
  type FieldErrors,
  initialValues,
  type Values,
  validateField,
  validateFields,
} from '../form.ts'
import type { PaymentController } from '../payment-controller.ts'
import type { Form, Message } from '../state.ts'
import { translate } from '../translations.ts'
import { AddressFields } from './address-fields.tsx'
import { Advice } from './advice.tsx'
import { CardFields } from './card-fields.tsx'
import { ContactFields } from './contact-fields.tsx'
import { Lazy } from './lazy.tsx'

const loadSteppers = async () => (await import('./quantity-steppers.tsx')).QuantitySteppers
const loadTestCards = async () => (await import('./test-cards.tsx')).TestCards
const loadProviderFields = async () => (await import('./provider-fields.tsx')).ProviderFields

/** The props that groups of fields get from the form. */
export type Fields = {
  readonly sale: Sale
  readonly values: Values
  readonly errors: FieldErrors
  readonly changeValues: (changes: Values) => void
  readonly validateOnBlur: (field: string) => void
}

const noErrors: FieldErrors = new Map()

type Props = {
  form: Form
  controller: Pick<PaymentController, 'pay' | 'tryNextFields'>
  values: Values
  changeValues: (changes: Values) => void
  /** The buttons below the fields. The payment element has none: the page of the merchant has them. */
  Footer?: ComponentType<FooterProps>
}

export type FooterProps = { form: Form; values: Values }

export function PayForm({ form, controller, values: input, changeValues: onChange, Footer }: Props) {
  const { sale, message, isSending } = form
  const values = { ...initialValues(sale), ...input }
  const [errors, setErrors] = useState(noErrors)
  const formElement = useRef<HTMLFormElement>(null)
  const cardFields = useRef<ProviderCardFields | null>(null)

  /** After a click on the button, moves the focus to the first invalid field or to the message above the form. */
  const focusError = () => requestAnimationFrame(() => focusFirstInvalidField(formElement.current))
  useEffect(() => {
    // Show validation errors of the server like our own.
    if (message?.kind === 'field_errors') setErrors(message.fieldErrors)
    if (message !== null) focusError()
  }, [message])

  const changeValues = (changes: Values) => {
    onChange(changes)
    setErrors((before) => new Map([...before].filter(([field]) => !(field in changes))))
  }
  /** Validates a field on blur, unless it is empty. */
  const validateOnBlur = (field: string) => {
    const error = values[field] ? validateField(field, values, sale, new Date()) : null
    if (error !== null) setErrors((before) => new Map([...before, [field, error]]))
  }
  const submit = (event: Event) => {
    event.preventDefault()
    const invalid = validateFields(values, sale, new Date())
    setErrors(invalid)
    if (invalid.size > 0) return void focusError()
    void controller.pay(() => confirm(values, sale, cardFields.current), choiceOf(values, sale))
  }
  const fields = { sale, values, errors, changeValues, validateOnBlur }

  return (
    <form ref={formElement} noValidate onSubmit={submit} aria-busy={isSending}>
      <Advice message={message} errorCount={errors.size} />
      <fieldset class="plain" inert={isSending}>
        {sale.subscription !== null && <Lazy load={loadSteppers} props={fields} />}
        <ContactFields {...fields} />
        <AddressFields {...fields} group="shipping_address" />
        {sale.test_cards !== undefined && (
          <Lazy load={loadTestCards} props={{ cards: sale.test_cards, changeValues }} />
        )}
        <CardInput
          {...fields}
          onReady={(mounted) => {
            cardFields.current = mounted
          }}
          onFailure={(entry) => void controller.tryNextFields(sale, entry)}
        />
        <AddressFields {...fields} group="billing_address" />
      </fieldset>
      {consentOf(sale) !== null && <p class="hint">{consentOf(sale)}</p>}
      {Footer !== undefined && <Footer form={form} values={values} />}
    </form>
  )
}

type CardInputProps = Fields & {
  onReady: (fields: ProviderCardFields | null) => void
  onFailure: (entry: CardEntry) => void
}

/** The fields of this page, or those of a provider or vault. */
function CardInput({ onReady, onFailure, ...fields }: CardInputProps) {
  const { sale, values } = fields
  const entry = sale.card_entry
  if (!hasFields(entry)) return <CardFields {...fields} />
  // Components need an amount, also if the payer has not chosen one yet. It is 0 if the card is only stored.
  const amount = chosenAmount(values, sale) ?? sale.open_amount?.min ?? 0
  const fail = () => onFailure(entry)
  return (
    <Lazy
      load={loadProviderFields}
      props={{ sale, entry, amount, onReady, onFailure: fail }}
      onFailure={fail}
    />
  )
}

/** The request body, or a message. */
async function confirm(
  values: Values,
  sale: Sale,
  cardFields: ProviderCardFields | null,
): Promise<string | Message> {
  const confirmation = confirmationOf(values, sale)
  if (!hasFields(sale.card_entry)) return JSON.stringify(confirmation)
  return cardFields?.confirm(confirmation, chosenAmount(values, sale) ?? 0) ?? { kind: 'card_incomplete' }
}

/** What the payer agrees to, if the card is stored. */
function consentOf({ checkout_mode: mode, seller }: Sale): string | null {
  if (mode === 'payment') return null
  return translate(mode === 'setup' ? 'save_text' : 'consent', { seller: seller.name })
}

function focusFirstInvalidField(form: HTMLFormElement | null): void {
  const field = form?.querySelector<HTMLElement>('[aria-invalid=true]')
  ;(field ?? form?.querySelector<HTMLElement>('.advice'))?.focus()
}
