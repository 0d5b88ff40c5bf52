/** What is to be paid by a link: an amount, one that the payer chooses, or the sum of items. */
import { X } from 'lucide-react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { AmountField, CheckField, RadioField, SelectField, TextField } from '../../../ui/fields.tsx'
import { currencyOptions } from '../test-cards.ts'
import { emptyItem, type ItemDraft, type LinkDraft } from './draft.ts'

type Props = { draft: LinkDraft; set: (next: Partial<LinkDraft>) => void }

export function PriceFields({ draft, set }: Props) {
  const { kind, currency } = draft
  return (
    <>
      <RadioField
        legend="What is paid"
        value={kind}
        onChange={(value) => set({ kind: value as LinkDraft['kind'] })}
        options={[
          { value: 'fixed', text: 'An amount' },
          { value: 'items', text: 'Items, each with its price' },
          { value: 'open', text: 'What the payer chooses' },
        ]}
      />
      <SelectField
        label="Currency"
        pointer="/currency"
        value={currency}
        onChange={(value) => set({ currency: value as LinkDraft['currency'] })}
        options={currencyOptions}
      />
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
            label="At least"
            pointer="/open_amount/min"
            currency={currency}
            value={draft.min}
            onChange={(min) => set({ min })}
          />
          <AmountField
            label="At most"
            pointer="/open_amount/max"
            currency={currency}
            value={draft.max}
            onChange={(max) => set({ max })}
          />
        </div>
      )}
      {kind === 'items' && <Items draft={draft} set={set} />}
      <CheckField
        label="Hold the amount, capture it later"
        checked={draft.isHeld}
        onChange={(isHeld) => set({ isHeld })}
      />
    </>
  )
}

function Items({ draft: { items, currency }, set }: Props) {
  const change = (at: number, next: Partial<ItemDraft>) =>
    set({ items: items.map((item, index) => (index === at ? { ...item, ...next } : item)) })
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-bold">Items</legend>
      {items.map((item, at) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place.
          key={at}
          className="grid items-start gap-2 sm:grid-cols-[minmax(0,1fr)_150px_80px_auto]"
        >
          <TextField
            label={`Item ${at + 1}`}
            pointer={`/line_items/${at}/name`}
            value={item.name}
            onChange={(name) => change(at, { name })}
          />
          <AmountField
            label="Each"
            pointer={`/line_items/${at}/unit_amount`}
            currency={currency}
            value={item.amount}
            onChange={(amount) => change(at, { amount })}
          />
          <TextField
            label="How many"
            type="number"
            pointer={`/line_items/${at}/quantity`}
            value={item.quantity}
            onChange={(quantity) => change(at, { quantity })}
          />
          {items.length > 1 && (
            <IconButton
              label={`Remove item ${at + 1}`}
              look="quiet"
              className="sm:mt-6"
              onClick={() => set({ items: items.filter((_, index) => index !== at) })}
            >
              <X size={16} aria-hidden />
            </IconButton>
          )}
        </div>
      ))}
      <div>
        <Button compact onClick={() => set({ items: [...items, emptyItem] })}>
          Add an item
        </Button>
      </div>
    </fieldset>
  )
}
