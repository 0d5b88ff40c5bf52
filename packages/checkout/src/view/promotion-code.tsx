/**
 * The field for a promotion code. The server computes the discount, and computes it again when the payer
 * changes an amount or a quantity, and when the payment begins.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type ApiResult, call, readTimeoutMs } from '../api.ts'
import { choiceOf, promotionOf, type Values } from '../form.ts'
import { quantitiesToSend } from '../subscription.ts'
import { TextField } from './field.tsx'
import type { Fields } from './pay-form.tsx'
import { textOf } from './promotion-code-texts.ts'

type Props = Fields & {
  readonly address: readonly [path: string, headers: Record<string, string>]
}

type Computed = {
  readonly name: string
  readonly amount: number
  readonly discount: number
  readonly recurring_amount: number | null
}

type Fault = 'invalid' | 'limit' | 'failed'

const removed = { promotion: '', 'promotion.code': '' }

export function PromotionCode({ sale, values, errors, changeValues, address }: Props) {
  const code = values['promotion.code'] ?? ''
  const applied = promotionOf(values)
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [fault, setFault] = useState<Fault | null>(null)
  const place = useRef<HTMLDivElement>(null)
  const choice = { ...choiceOf(values, sale), ...quantitiesToSend(sale, values) }
  const choiceText = JSON.stringify(choice)
  const latest = useRef('')

  const reject = (reason: Fault) => {
    setTyped(code || typed)
    setOpen(true)
    setFault(reason)
    changeValues(removed)
  }
  const apply = async (entered: string) => {
    if (entered === '') return setFault('invalid')
    setFault(null)
    const request = `${entered} ${choiceText}`
    latest.current = request
    const result = await compute(address, { promotion_code: entered, ...choice })
    // The payer has changed the order or removed the code in the meantime.
    if (latest.current !== request) return
    if (result.kind === 'no_response') return reject('failed')
    if (result.kind === 'problem') return reject(result.status === 429 ? 'limit' : 'invalid')
    changeValues(valuesOf(entered, result.body))
  }
  // The order has changed, so the discount is computed again.
  useEffect(() => {
    if (code !== '' && applied.code === undefined) void apply(code)
  }, [choiceText])
  // The server rejected the code when the payer paid.
  useEffect(() => {
    if (errors.has('promotion_code')) reject('invalid')
  }, [errors])
  useEffect(() => {
    if (isOpen) place.current?.querySelector<HTMLElement>('input, button')?.focus()
  }, [isOpen, applied.code, fault])

  const remove = () => {
    latest.current = ''
    setTyped('')
    changeValues(removed)
  }
  if (applied.code !== undefined) {
    const text = { code: applied.code.toUpperCase(), name: values['promotion.name'] ?? '' }
    return (
      <div ref={place} class="saved">
        <p class="hint" role="status">
          {textOf('applied', text)}
        </p>
        <Button label={textOf('remove')} onClick={remove} />
      </div>
    )
  }
  return (
    <div ref={place} class="saved">
      {isOpen ? (
        <>
          <TextField
            name="promotion_code"
            label={textOf('code')}
            error={fault === null ? null : textOf(fault)}
            value={typed}
            input={{
              autocomplete: 'off',
              dir: 'ltr',
              maxLength: 50,
              onKeyDown: onEnter(() => apply(typed.trim())),
            }}
            onValueChange={setTyped}
            onBlur={() => {}}
          />
          <Button label={textOf('apply')} onClick={() => void apply(typed.trim())} />
        </>
      ) : (
        <Button label={textOf('add')} onClick={() => setOpen(true)} />
      )}
    </div>
  )
}

/** The Enter key applies the code and does not submit the payment. */
const onEnter = (apply: () => Promise<void>) => (event: KeyboardEvent) => {
  if (event.key !== 'Enter') return
  event.preventDefault()
  void apply()
}

function Button({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button class="quiet" type="button" onClick={onClick}>
      {label}
    </button>
  )
}

function compute([path, headers]: Props['address'], body: object): Promise<ApiResult<Computed>> {
  const request = { method: 'POST', headers, body: JSON.stringify(body) }
  return call(`${path}/promotion-code`, request, readTimeoutMs)
}

function valuesOf(code: string, { name, amount, discount, recurring_amount: recurring }: Computed): Values {
  const discounts = discount === 0 ? [] : [{ name, amount: discount }]
  return {
    'promotion.code': code,
    'promotion.name': name,
    promotion: JSON.stringify({ code, amount, discounts, recurring }),
  }
}
