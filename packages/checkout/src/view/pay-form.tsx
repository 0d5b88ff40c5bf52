/** The payment form: fields and error messages. */
import type { ComponentType, RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Sale } from '../api.ts'
import { hasFields } from '../fields/choice.ts'
import type { CardFields as ProviderCardFields } from '../fields/mount.ts'
import {
  amountToPay,
  cardEntryOf,
  choiceOf,
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
import { Advice } from './advice.tsx'
import { CardFields } from './card-fields.tsx'
import { ContactFields, fieldProps } from './contact-fields.tsx'
import { Lazy } from './lazy.tsx'

const loadSteppers = async () => (await import('./quantity-steppers.tsx')).QuantitySteppers
const loadTestCards = async () => (await import('./test-cards.tsx')).TestCards
const loadSavedCards = async () => (await import('./saved-cards.tsx')).SavedCards
const loadPromotionCode = async () => (await import('./promotion-code.tsx')).PromotionCode
const loadMethods = async () => (await import('./methods.tsx')).Methods
const loadAddressFields = async () => (await import('./address-fields.tsx')).AddressFields
const loadProviderFields = async () => (await import('./provider-fields.tsx')).ProviderFields

/** The props that groups of fields get from the form. */
export type Fields = {
  readonly sale: Sale
  readonly values: Values
  readonly errors: FieldErrors
  readonly changeValues: (changes: Values) => void
  readonly validateOnBlur: (field: string) => void
  /** The props of a field, for groups of fields that are loaded on demand. */
  readonly propsOf: (name: string) => ReturnType<typeof fieldProps>
}

/** A method other than a card that the payer has chosen. */
export type OtherMethod = {
  /** The invalid fields and their errors. */
  readonly validate: (values: Values) => readonly (readonly [field: string, error: string])[]
  /** The members that the method adds to the request body. */
  readonly confirmation: (values: Values) => object
}

const noErrors: FieldErrors = new Map()

type Props = {
  form: Form
  controller: Pick<PaymentController, 'pay' | 'tryNextFields' | 'address'>
  values: Values
  changeValues: (changes: Values) => void
  /** The buttons below the fields. The payment element has none: the page of the merchant has them. */
  Footer?: ComponentType<FooterProps>
  /** Called when all fields have become valid, or some invalid. */
  onValidity?: (isValid: boolean) => void
}

export type FooterProps = { form: Form; values: Values }

export function PayForm({
  form,
  controller,
  values: input,
  changeValues: onChange,
  Footer,
  onValidity,
}: Props) {
  const { message, isSending } = form
  const hasCard = form.sale.card_entry !== null
  const values: Values = { ...initialValues(form.sale), ...input, method: methodOf(form.sale, input) }
  const isCard = values.method === ''
  const sale = isCard ? form.sale : withoutCardEntry(form.sale, values)
  const [errors, setErrors] = useState(noErrors)
  const formElement = useRef<HTMLFormElement>(null)
  const cardFields = useRef<ProviderCardFields | null>(null)
  const otherMethod = useRef<OtherMethod | null>(null)

  /** After a click on the button, moves the focus to the first invalid field or to the message above the form. */
  const focusError = () => requestAnimationFrame(() => focusFirstInvalidField(formElement.current))
  useEffect(() => {
    // Show the server's validation errors like those of the page.
    if (message?.kind === 'field_errors') setErrors(message.fieldErrors)
    if (message !== null) focusError()
  }, [message])

  const changeValues = (changes: Values) => {
    // The server computes the discount again.
    onChange(/^(amount|quant)/.test(`${Object.keys(changes)}`) ? { ...changes, promotion: '' } : changes)
    setErrors((before) => new Map([...before].filter(([field]) => !(field in changes))))
  }
  /** Validates a field on blur, unless it is empty. */
  const validateOnBlur = (field: string) => {
    const error = values[field] ? validateField(field, values, sale, new Date()) : null
    if (error !== null) setErrors((before) => new Map([...before, [field, error]]))
  }
  const findErrors = () =>
    new Map([...validateFields(values, sale, new Date()), ...(otherMethod.current?.validate(values) ?? [])])
  useEffect(() => onValidity?.(findErrors().size === 0))
  const submit = (event: Event) => {
    event.preventDefault()
    const chosen = otherMethod.current
    const invalid = findErrors()
    setErrors(invalid)
    if (invalid.size > 0) return void focusError()
    void controller.pay(() => confirm(values, sale, chosen ?? cardFields.current), choiceOf(values, sale))
  }
  const fields: Fields = {
    sale,
    values,
    errors,
    changeValues,
    validateOnBlur,
    propsOf: (name) => fieldProps(fields, name),
  }
  const group = (name: 'billing_address' | 'shipping_address') =>
    sale.collect.includes(name) && <Lazy load={loadAddressFields} props={{ ...fields, group: name }} />

  return (
    <form ref={formElement} noValidate onSubmit={submit} aria-busy={isSending}>
      <Advice message={message} errorCount={errors.size} />
      <fieldset class="plain" inert={isSending}>
        {sale.subscription && <Lazy load={loadSteppers} props={fields} />}
        {/* Only the payment page shows the reduced amount. */}
        {Footer !== undefined && sale.allow_promotion_codes && (
          <Lazy load={loadPromotionCode} props={{ ...fields, address: controller.address }} />
        )}
        <ContactFields {...fields} />
        {group('shipping_address')}
        {form.sale.other_methods.length > 0 && (
          <Lazy load={loadMethods} props={{ ...fields, hasCard, chosenMethod: otherMethod }} />
        )}
        {isCard && <CardPart {...fields} controller={controller} mounted={cardFields} />}
        {group('billing_address')}
      </fieldset>
      {consentOf(sale) !== null && <p class="hint">{consentOf(sale)}</p>}
      {Footer !== undefined && <Footer form={form} values={values} />}
    </form>
  )
}

type CardInputProps = Fields & {
  controller: Props['controller']
  /** The fields of a provider or vault, while they are mounted. */
  mounted: RefObject<ProviderCardFields | null>
}

/** The saved cards of the payer, or the fields of a new card. */
function CardPart(input: CardInputProps) {
  const { sale, values, changeValues, controller } = input
  const saved = (isNewCard: boolean) => (
    <Lazy load={loadSavedCards} props={{ ...input, address: controller.address, isNewCard }} />
  )
  return (
    <>
      {sale.saved_methods.access !== 'none' && saved(false)}
      {!values['saved.id'] && (
        <>
          {sale.test_cards !== undefined && (
            <Lazy load={loadTestCards} props={{ cards: sale.test_cards, changeValues }} />
          )}
          <CardInput {...input} />
          {sale.saved_methods.save !== 'off' && saved(true)}
        </>
      )}
    </>
  )
}

/** The fields of this page, or those of a provider or vault. */
function CardInput({ controller, mounted, ...fields }: CardInputProps) {
  const { sale, values } = fields
  const entry = sale.card_entry
  if (!hasFields(entry)) return <CardFields {...fields} />
  // Components need an amount even if the payer has not chosen one yet. It is 0 if the card is only stored.
  const amount = amountToPay(values, sale) ?? sale.open_amount?.min ?? 0
  const fail = () => void controller.tryNextFields(sale, entry)
  return (
    <Lazy
      load={loadProviderFields}
      props={{ sale, entry, amount, mounted, onFailure: fail }}
      onFailure={fail}
    />
  )
}

/** The request body, or a message. */
async function confirm(
  values: Values,
  sale: Sale,
  entered: ProviderCardFields | OtherMethod | null,
): Promise<string | Message> {
  const confirmation = confirmationOf(values, sale)
  if (entered !== null && 'confirmation' in entered)
    return JSON.stringify({ ...confirmation, ...entered.confirmation(values) })
  if (!hasFields(cardEntryOf(sale, values))) return JSON.stringify(confirmation)
  return entered?.confirm(confirmation, amountToPay(values, sale) ?? 0) ?? { kind: 'card_incomplete' }
}

/** The method that the payer has chosen, or the first one if the page cannot take cards. Empty for a card. */
function methodOf({ card_entry, other_methods: others }: Sale, { method = '' }: Values): string {
  if (others.includes(method)) return method
  return card_entry === null ? (others[0] ?? '') : ''
}

/** A debit requires an email address, to which the pre-notification is sent. */
function withoutCardEntry(sale: Sale, { method }: Values): Sale {
  const collect = method?.endsWith('_debit') ? ([...sale.collect, 'email'] as const) : sale.collect
  return { ...sale, collect, card_entry: null }
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
