import type { Coupon } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { Columns, Facts, PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { Time } from '../../../ui/values.tsx'
import { durationText, offText, redemptionsText } from './coupon-text.ts'
import { PromotionCodes } from './promotion-codes.tsx'

export function Page() {
  const { id } = useParams({ strict: false }) as { id: string }
  const query = useObject(['coupon', id], (api, signal) => api.coupons.get(id, { signal }))
  return (
    <PageLoaded query={query} title="Coupon">
      {(coupon) => <CouponView coupon={coupon} />}
    </PageLoaded>
  )
}

function CouponView({ coupon }: { coupon: Coupon }) {
  const [isArchiving, setArchiving] = useState(false)
  const disabledReasonFor = useDisabledReason()
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Coupons', to: '/coupons' }, { text: coupon.id }]}
        title={coupon.name}
        titleExtra={<Status status={coupon.active ? 'active' : 'archived'} />}
        actions={
          <Button disabledReason={disabledReasonFor('coupons.update')} onClick={() => setArchiving(true)}>
            {coupon.active ? 'Archive coupon…' : 'Restore coupon…'}
          </Button>
        }
      >
        <Sentence>{`${offText(coupon)} ${durationText(coupon)}.`}</Sentence>
      </PageHead>
      <Columns main={<PromotionCodes coupon={coupon} />} side={<Details coupon={coupon} />} />
      {isArchiving && <ArchiveCoupon coupon={coupon} close={() => setArchiving(false)} />}
    </>
  )
}

function Details({ coupon }: { coupon: Coupon }) {
  const { product_ids: products, redeem_by: redeemBy } = coupon
  return (
    <Panel title="Details">
      <Facts
        facts={[
          ['Redemptions', redemptionsText(coupon)],
          ['Products', products === null ? 'All products' : products.join(', ')],
          ['Redeem by', redeemBy === null ? 'No limit' : <Time key="by" at={redeemBy} exact />],
          ['Created', <Time key="created" at={coupon.created_at} exact />],
          ...Object.entries(coupon.metadata),
        ]}
      />
    </Panel>
  )
}

function ArchiveCoupon({ coupon: { id, active }, close }: { coupon: Coupon; close: () => void }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const body = { active: !active }
  const title = active ? 'Archive coupon' : 'Restore coupon'
  return (
    <ActionDialog
      title={title}
      intro={
        active
          ? 'The coupon and its promotion codes can no longer be redeemed. Discounts of subscriptions continue.'
          : 'The coupon and its active promotion codes can be redeemed again.'
      }
      submit={title}
      disabledReason={disabledReasonFor('coupons.update')}
      call={{
        method: 'PUT',
        path: `/coupons/${id}`,
        body,
        sdk: { method: 'coupons.update', args: [id, body] },
      }}
      run={async (key) => {
        await api.coupons.update(id, body, key)
        await invalidate('coupon')
      }}
      successMessage={active ? 'Coupon archived' : 'Coupon restored'}
      onDone={close}
      onCancel={close}
    />
  )
}
