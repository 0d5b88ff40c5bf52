/**
 * Saved cards of the payer. The page lists them if the seller's server has identified the customer. Otherwise the payer
 * enters a code from an e-mail first.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { call, readTimeoutMs, type SavedCard } from '../api.ts'
import { brandNames } from '../card/brand.ts'
import { validateField } from '../form.ts'
import { TextField } from './field.tsx'
import type { Fields } from './pay-form.tsx'
import { textOf } from './saved-cards-texts.ts'

type Props = Fields & {
  readonly address: readonly [path: string, headers: Record<string, string>]
  /** Whether the payer enters a new card. If so, only the option to save it is shown. */
  readonly isNewCard: boolean
}

export function SavedCards(props: Props) {
  const { sale, values } = props
  if (props.isNewCard) return <SaveCard {...props} />
  const { access, cards: listed } = sale.saved_methods
  const cards: readonly SavedCard[] = access === 'listed' ? listed : JSON.parse(values['saved.cards'] ?? '[]')
  if (cards.length > 0) return <CardChoice {...props} cards={cards} />
  return access === 'code' ? <CodeEntry {...props} /> : null
}

function CardChoice({ values, changeValues, cards }: Fields & { cards: readonly SavedCard[] }) {
  const selected = values['saved.id'] ?? ''
  const first = useRef<HTMLInputElement>(null)
  // After a code was entered, the focus moves from its field to the cards.
  useEffect(() => {
    if (values['saved.secret'] && document.activeElement === document.body) first.current?.focus()
  }, [])
  const option = (id: string, label: string, detail: string, index: number) => (
    <label class="choice">
      <input
        ref={index === 0 ? first : null}
        type="radio"
        name="saved"
        checked={selected === id}
        onChange={() => changeValues({ 'saved.id': id })}
      />
      <bdi>{label}</bdi>
      {detail !== '' && <span class="hint">{detail}</span>}
    </label>
  )
  return (
    <fieldset class="plain saved">
      <legend>{textOf('saved')}</legend>
      {cards.map((card, index) => option(card.payment_method_id, nameOf(card), expiryOf(card), index))}
      {option('', textOf('other'), '', -1)}
    </fieldset>
  )
}

const nameOf = ({ brand, last4 }: SavedCard) =>
  `${(brandNames as Readonly<Record<string, string>>)[brand] ?? brand} •••• ${last4}`

function expiryOf({ exp_month: month, exp_year: year }: SavedCard): string {
  if (year === 0) return ''
  return textOf('expires', { date: `${String(month).padStart(2, '0')}/${year % 100}` })
}

type Sent = { readonly id: string; readonly email: string }
type Fault = 'email' | 'wrong' | 'limit' | 'failed'

function CodeEntry({ sale, values, changeValues, address: [path, headers] }: Props) {
  const [sent, setSent] = useState<Sent | null>(null)
  const [code, setCode] = useState('')
  const [fault, setFault] = useState<Fault | null>(null)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.querySelector('input')?.focus(), [sent])

  const post = async <Body,>(to: string, body: object) => {
    setFault(null)
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const result = await call<Body>(path + to, request, readTimeoutMs)
    if (result.kind === 'success') return result.body
    setFault(result.kind === 'no_response' ? 'failed' : result.status === 429 ? 'limit' : 'wrong')
    return null
  }
  const send = async () => {
    const email = values.email?.trim() ?? ''
    if (email === '' || validateField('email', values, sale, new Date()) !== null) return setFault('email')
    const requested = await post<{ id: string }>('/login-codes', { email })
    if (requested !== null) setSent({ id: requested.id, email })
  }
  const enter = async () => {
    if (!/^\d{6}$/.test(code)) return setFault('wrong')
    const to = `/login-codes/${sent?.id}`
    const entered = await post<{ payer_secret: string; cards: readonly SavedCard[] }>(to, { code })
    if (entered === null) return
    changeValues({
      'saved.secret': entered.payer_secret,
      'saved.cards': JSON.stringify(entered.cards),
      'saved.id': entered.cards[0]?.payment_method_id ?? '',
    })
  }
  /** The Enter key submits the code, not the payment. */
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    void enter()
  }
  return (
    <div ref={place} class="saved">
      <p class="hint" role="status">
        {sent === null ? textOf('intro') : textOf('sent', { email: sent.email })}
      </p>
      {sent === null ? (
        <FaultText fault={fault} />
      ) : (
        <div>
          <TextField
            name="login_code"
            label={textOf('code')}
            error={fault === null ? null : textOf(fault)}
            value={code}
            input={{
              inputMode: 'numeric',
              autocomplete: 'one-time-code',
              dir: 'ltr',
              maxLength: 6,
              onKeyDown,
            }}
            onValueChange={setCode}
            onBlur={() => {}}
          />
          <button class="quiet" type="button" onClick={() => void enter()}>
            {textOf('show')}
          </button>
        </div>
      )}
      <p class="actions">
        <button class="quiet" type="button" onClick={() => void send()}>
          {textOf(sent === null ? 'send' : 'again')}
        </button>
      </p>
    </div>
  )
}

function FaultText({ fault }: { fault: Fault | null }) {
  return <div role="alert">{fault !== null && <p class="fault">{textOf(fault)}</p>}</div>
}

/** Whether the card of this payment is saved. */
function SaveCard({ sale, values, changeValues }: Fields) {
  const seller = sale.seller.name
  if (sale.saved_methods.save === 'required') return <p class="hint saved">{textOf('saves', { seller })}</p>
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={values['saved.save'] === '1'}
        onChange={({ currentTarget }) => changeValues({ 'saved.save': currentTarget.checked ? '1' : '' })}
      />
      <span>{textOf('save', { seller })}</span>
    </label>
  )
}
