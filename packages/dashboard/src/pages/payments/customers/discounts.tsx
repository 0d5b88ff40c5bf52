/** The discounts of a customer, which apply to all their subscriptions. */
import type { CustomerDiscounts } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { CheckField, TextField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { discountInputOf } from '../../billing/coupons/coupon-text.ts'
import { DiscountList } from '../../billing/coupons/discount-list.tsx'

export function DiscountsPanel({ customerId }: { customerId: string }) {
  const disabledReasonFor = useDisabledReason()
  const [isOpen, setIsOpen] = useState(false)
  const query = useObject(['customer', customerId, 'discounts'], async (api, signal) => {
    const list = await api.customers.discounts(customerId, { signal })
    return { list, etag: list.$response.etag }
  })
  return (
    <Panel title="Discounts">
      <Loaded query={query}>
        {({ list, etag }) => (
          <>
            {list.discounts.length === 0 ? (
              <p className="text-ink2">No discounts.</p>
            ) : (
              <DiscountList discounts={list.discounts} currency={null} />
            )}
            <div className="mt-3">
              <Button
                disabledReason={disabledReasonFor('customers.update_discounts')}
                onClick={() => setIsOpen(true)}
              >
                Edit discounts
              </Button>
            </div>
            {isOpen && <EditDiscounts list={list} etag={etag} close={() => setIsOpen(false)} />}
          </>
        )}
      </Loaded>
    </Panel>
  )
}

function EditDiscounts(props: { list: CustomerDiscounts; etag: string | null; close: () => void }) {
  const { close } = props
  const api = useApi()
  const invalidate = useInvalidate()
  // If another user changes the list while the dialog is open, the server rejects the list that is based on the old one.
  const [{ list: before, etag }] = useState(props)
  const [removed, setRemoved] = useState<readonly string[]>([])
  const [added, setAdded] = useState('')
  const { customer_id: id } = before
  const text = added.trim()
  const kept = before.discounts.filter((discount) => !removed.includes(discount.id))
  const body = {
    discounts: [
      ...kept.map(({ coupon_id }) => ({ coupon_id })),
      ...(text === '' ? [] : [discountInputOf(text)]),
    ],
  }
  return (
    <ActionDialog
      title="Edit discounts"
      intro="Changes apply from the next period of each subscription on."
      submit="Save discounts"
      disabledReason={removed.length === 0 && text === '' ? 'No changes yet.' : null}
      call={{
        method: 'PUT',
        path: `/customers/${id}/discounts`,
        body,
        sdk: { method: 'customers.updateDiscounts', args: [id, body] },
      }}
      run={(key) =>
        api.customers.updateDiscounts(id, body, { ...key, ifMatch: etag ?? undefined }).catch((error) => {
          void invalidate('customer')
          throw error
        })
      }
      successMessage="Discounts saved"
      onDone={() => {
        close()
        void invalidate('customer')
      }}
      onCancel={close}
    >
      {before.discounts.map((discount) => (
        <CheckField
          key={discount.id}
          label={`Remove ${discount.name}`}
          checked={removed.includes(discount.id)}
          onChange={(isRemoved) =>
            setRemoved(isRemoved ? [...removed, discount.id] : removed.filter((one) => one !== discount.id))
          }
        />
      ))}
      <TextField
        label="Add coupon or promotion code"
        value={added}
        onChange={setAdded}
        hint="The ID of a coupon, or a promotion code."
      />
    </ActionDialog>
  )
}
