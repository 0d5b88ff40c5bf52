/** The fields for the subscription that a link in `subscription` mode sells. */
import { CheckField, SelectField, TextField } from '../../../ui/fields.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { usePriceOptions } from '../../billing/price-options.ts'
import type { LinkDraft } from './draft.ts'

type Props = { draft: LinkDraft; set: (next: Partial<LinkDraft>) => void }

export function SubscriptionFields({ draft, set }: Props) {
  const prices = usePriceOptions()
  return (
    <>
      <SelectField
        label="Recurring price"
        pointer="/line_items/0/price_id"
        value={draft.priceId}
        onChange={(priceId) => set({ priceId })}
        options={[{ value: '', text: 'Choose a price' }, ...prices]}
        hint={
          prices.length === 0 ? (
            <>
              There are no recurring prices yet. <PageLink to="/products">Create a product</PageLink>
            </>
          ) : undefined
        }
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Quantity"
          type="number"
          pointer="/line_items/0/quantity"
          value={draft.quantity}
          onChange={(quantity) => set({ quantity })}
        />
        <TextField
          label="Trial days"
          type="number"
          pointer="/subscription/trial/days"
          value={draft.trialDays}
          onChange={(trialDays) => set({ trialDays })}
        />
      </div>
      <CheckField
        label="The customer can change the quantity"
        checked={draft.isQuantityAdjustable}
        onChange={(isQuantityAdjustable) => set({ isQuantityAdjustable })}
      />
    </>
  )
}
