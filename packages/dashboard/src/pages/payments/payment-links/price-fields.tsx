/** The price of a link: a fixed amount, an amount chosen by the customer, or line items. */
import { X } from 'lucide-react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { AmountField, CheckField, RadioField, SelectField, TextField } from '../../../ui/fields.tsx'
import { currencyOptions } from '../test-cards.ts'
import { emptyItem, type ItemDraft, isPayment, type LinkDraft } from './draft.ts'
import { SubscriptionFields } from './subscription-fields.tsx'

type Props = { draft: LinkDraft; set: (next: Partial<LinkDraft>) => void }

export function PriceFields({ draft, set }: Props) {
  const { kind, currency } = draft
  const isOnce = isPayment(draft)
  return (
    <>
      <RadioField
        legend="Price"
        value={kind}
        onChange={(value) => set({ kind: value as LinkDraft['kind'] })}
        options={[
          { value: 'fixed', text: 'Fixed amount' },
          { value: 'items', text: 'Line items' },
          { value: 'open', text: 'Amount chosen by the customer' },
          { value: 'subscription', text: 'Subscription' },
          { value: 'setup', text: 'None: the customer only saves a card' },
        ]}
      />
      {isOnce && (
        <SelectField
          label="Currency"
          pointer="/currency"
          value={currency}
          onChange={(value) => set({ currency: value as LinkDraft['currency'] })}
          options={currencyOptions}
        />
      )}
      {kind === 'subscription' && <SubscriptionFields draft={draft} set={set} />}
      {kind === 'fixed' && (
        <AmountField
          label="Amount"
          pointer="/amount"
          currency={currency}
          value={draft.amount}
          onChange={(amount) => set({ amount })}
        />
      )}
      {kind === 'open' && (
        <div className="grid gap-4 sm:grid-cols-2">
          <AmountField
            label="Minimum"
            pointer="/open_amount/min"
            currency={currency}
            value={draft.min}
            onChange={(min) => set({ min })}
          />
          <AmountField
            label="Maximum"
            pointer="/open_amount/max"
            currency={currency}
            value={draft.max}
            onChange={(max) => set({ max })}
          />
        </div>
      )}
      {kind === 'items' && <Items draft={draft} set={set} />}
      {isOnce && (
        <CheckField
          label="Authorize only, capture later"
          checked={draft.isManualCapture}
          onChange={(isManualCapture) => set({ isManualCapture })}
        />
      )}
    </>
  )
}

function Items({ draft: { items, currency }, set }: Props) {
  const change = (position: number, next: Partial<ItemDraft>) =>
    set({ items: items.map((item, index) => (index === position ? { ...item, ...next } : item)) })
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-bold">Items</legend>
      {items.map((item, position) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: items have no id.
          key={position}
          className="grid items-start gap-2 sm:grid-cols-[minmax(0,1fr)_150px_80px_auto]"
        >
          <TextField
            label={`Item ${position + 1}`}
            pointer={`/line_items/${position}/name`}
            value={item.name}
            onChange={(name) => change(position, { name })}
          />
          <AmountField
            label="Unit price"
            pointer={`/line_items/${position}/unit_amount`}
            currency={currency}
            value={item.amount}
            onChange={(amount) => change(position, { amount })}
          />
          <TextField
            label="Quantity"
            type="number"
            pointer={`/line_items/${position}/quantity`}
            value={item.quantity}
            onChange={(quantity) => change(position, { quantity })}
          />
          {items.length > 1 && (
            <IconButton
              label={`Remove item ${position + 1}`}
              variant="quiet"
              className="sm:mt-6"
              onClick={() => set({ items: items.filter((_, index) => index !== position) })}
            >
              <X size={16} aria-hidden />
            </IconButton>
          )}
        </div>
      ))}
      <div>
        <Button compact onClick={() => set({ items: [...items, emptyItem] })}>
          Add item
        </Button>
      </div>
    </fieldset>
  )
}
