/**
 * Methods other than cards: the choice of the method, its fields, and the panel of a payer who was redirected. Loaded only if
 * a page offers such a method.
 */
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { PaymentController } from '../payment-controller.ts'
import type { Waiting } from '../state.ts'
import { translate } from '../translations.ts'
import type { Debit } from './debits.tsx'
import { HolderField, type MethodForm, missing, trimmed } from './method-form.tsx'
import { nameOfMethod, text } from './method-texts.ts'
import type { Fields, OtherMethod } from './pay-form.tsx'

type MethodsProps = Fields & { hasCard: boolean; chosenMethod: RefObject<OtherMethod | null> }

export function Methods({ hasCard, chosenMethod, ...fields }: MethodsProps) {
  const { sale, values, changeValues } = fields
  const chosen = values.method ?? ''
  const [loaded, setLoaded] = useState<LoadedDebit | null>(null)
  const isDebit = chosen.endsWith('_debit')
  const debit = loaded?.debit.type === chosen ? loaded : null
  useEffect(() => {
    if (isDebit) loadDebit(chosen).then(setLoaded, () => {})
  }, [chosen])
  useEffect(() => {
    const form = isDebit
      ? (debit?.debit.form ?? formWithoutFields(chosen))
      : (forms[chosen] ?? redirectForm(chosen))
    chosenMethod.current = chosen === '' ? null : withoutCard(form)
  }, [chosen, debit])
  return (
    <>
      <fieldset class="plain methods">
        <legend>{text('legend')}</legend>
        {[...(hasCard ? [''] : []), ...sale.other_methods].map((type) => (
          <label>
            <input
              type="radio"
              name="method"
              value={type}
              checked={type === chosen}
              onChange={() => changeValues({ method: type })}
            />
            {type === '' ? translate('card') : nameOfMethod(type)}
          </label>
        ))}
      </fieldset>
      {debit !== null && <debit.DebitFields {...fields} debit={debit.debit} />}
      {chosen === 'bancontact' && <HolderField {...fields} type={chosen} />}
      {chosen !== '' && !isDebit && <p class="hint next">{text('next', { method: nameOfMethod(chosen) })}</p>}
    </>
  )
}

type LoadedDebit = Pick<typeof import('./debits.tsx'), 'DebitFields'> & { readonly debit: Debit }

async function loadDebit(type: string): Promise<LoadedDebit> {
  const debits = await import('./debits.tsx')
  return { DebitFields: debits.DebitFields, debit: await debits.loadDebit(type) }
}

/** The forms that have fields, other than those of debits. */
const forms: Readonly<Record<string, MethodForm>> = {
  bancontact: {
    validate: (values) => ({ 'bancontact.holder': missing(values, 'bancontact.holder') }),
    confirmation: (values) => ({
      bancontact: { account_holder_name: trimmed(values, 'bancontact.holder') },
    }),
  },
}

/** If another method is chosen, a selected saved card is ignored. */
const withoutCard = (method: MethodForm): OtherMethod => ({
  validate: (values) =>
    Object.entries(method.validate(values)).flatMap(([field, error]) =>
      error === null ? [] : [[field, error] as const],
    ),
  confirmation: (values) => ({
    payment_method_id: undefined,
    save_card: undefined,
    ...method.confirmation(values),
  }),
})

const redirectForm = (type: string): MethodForm => ({
  validate: () => ({}),
  confirmation: () => ({ [type]: {} }),
})

/** The payer cannot pay until the fields of a debit are loaded, because the mandate is not shown yet. */
const formWithoutFields = (type: string): MethodForm => ({
  validate: () => ({ [`${type}.holder`]: translate('missing') }),
  confirmation: () => ({}),
})

type PanelProps = { waiting: Waiting; controller: PaymentController; money: string }

/** The payer has left the page of the method, or has not opened it yet. */
export function RedirectPanel({ waiting, controller, money }: PanelProps) {
  const { sale } = waiting
  const method = nameOfMethod(waiting.method ?? '')
  const title = useRef<HTMLHeadingElement>(null)
  const [isClosing, setClosing] = useState(false)
  const [isStillOpen, setStillOpen] = useState(false)
  useEffect(() => title.current?.focus(), [])
  /** If the payment is cancelled, the form replaces this panel. */
  const change = async () => {
    setClosing(true)
    await controller.changeMethod()
    setClosing(false)
    setStillOpen(true)
  }
  return (
    <div class="panel waiting">
      <h2 ref={title} tabIndex={-1}>
        {text('title', { method })}
      </h2>
      <p>{text('text', { amount: money, seller: sale.seller.name })}</p>
      <button class="action" type="button" onClick={() => controller.goToBank()}>
        {text('go', { method })}
      </button>
      <button class="quiet" type="button" aria-disabled={isClosing} onClick={() => isClosing || change()}>
        {text('other')}
      </button>
      <p class="hint" role="status">
        {isStillOpen && text('open', { method })}
      </p>
    </div>
  )
}
