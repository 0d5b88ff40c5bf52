/** One cancellation request: what the subscriber submitted, and the decision on it. */
import type { CancellationRequest } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/fields.tsx'
import { Columns, Facts, PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { Time } from '../../../ui/values.tsx'
import { ObjectPage } from '../../payments/object-page.tsx'
import { typeText } from './type-text.ts'

const list = { text: 'Cancellations', to: '/cancellation-requests' }

export function Page() {
  return (
    <ObjectPage
      noun="cancellation_request"
      title="Cancellation"
      list={list}
      read={(api, id, signal) => api.cancellationRequests.get(id, { signal })}
    >
      {(request) => <RequestView request={request} />}
    </ObjectPage>
  )
}

function RequestView({ request }: { request: CancellationRequest }) {
  return (
    <>
      <PageHead
        crumbs={[list, { text: request.id }]}
        title={typeText(request.type)}
        titleExtra={<Status status={request.status} />}
        actions={<RequestActions request={request} />}
      >
        <div className="mt-2">
          <Sentence>{sentenceOf(request)}</Sentence>
        </div>
      </PageHead>
      <Columns
        main={
          <Panel title="Request">
            <Facts
              facts={[
                ['Name', request.name],
                ['Email', request.email],
                ['Contract', request.contract],
                ['Reason', request.reason],
                ['Requested end', request.requested_end],
              ]}
            />
          </Panel>
        }
        side={
          <Panel title="Details">
            <Facts
              facts={[
                ['Subscription', request.subscription_id && <ObjectLink id={request.subscription_id} />],
                ['Customer', request.customer_id && <ObjectLink id={request.customer_id} />],
                ['Received', <Time key="received" at={request.received_at} exact />],
                ['Confirmed', request.confirmed_at && <Time at={request.confirmed_at} exact />],
                ['Closed', request.closed_at && <Time at={request.closed_at} exact />],
                ['Note', request.note],
              ]}
            />
          </Panel>
        }
      />
    </>
  )
}

function sentenceOf({ status, subscription_id: subscription }: CancellationRequest): string {
  switch (status) {
    case 'received':
      return subscription === null
        ? 'No subscription was matched automatically. Find the subscription, then accept or reject the request.'
        : 'The subscriber has not confirmed the request with the link in the e-mail yet, so it is not verified.'
    case 'confirmed':
      return 'The subscriber has confirmed the request with the link in the e-mail. Accept or reject it.'
    case 'completed':
      return 'The subscription is cancelled, or its cancellation is scheduled.'
    case 'rejected':
      return 'The request was rejected. No subscription was changed.'
  }
}

function RequestActions({ request }: { request: CancellationRequest }) {
  const [open, setOpen] = useState<'accept' | 'reject' | null>(null)
  const disabledReasonFor = useDisabledReason()
  if (request.closed_at !== null) return null
  const close = () => setOpen(null)
  return (
    <span className="inline-flex flex-wrap gap-2">
      <Button
        disabledReason={disabledReasonFor('cancellation_requests.accept')}
        onClick={() => setOpen('accept')}
      >
        Accept…
      </Button>
      <Button
        variant="danger"
        disabledReason={disabledReasonFor('cancellation_requests.reject')}
        onClick={() => setOpen('reject')}
      >
        Reject…
      </Button>
      {open === 'accept' && <AcceptDialog request={request} close={close} />}
      {open === 'reject' && <RejectDialog request={request} close={close} />}
    </span>
  )
}

type DialogProps = { request: CancellationRequest; close: () => void }

function AcceptDialog({ request: { id, type, subscription_id: matched }, close }: DialogProps) {
  const api = useApi()
  const invalidate = useInvalidate()
  const [subscription, setSubscription] = useState(matched ?? '')
  const body = subscription === '' ? {} : { subscription_id: subscription }
  const end = type === 'cancellation' ? 'at the end of its period' : 'now'
  const refund = type === 'withdrawal' ? ' Refund its payments separately.' : ''
  return (
    <ActionDialog
      title="Accept cancellation"
      intro={`The subscription is cancelled ${end}, and the customer gets an e-mail.${refund}`}
      submit="Cancel subscription"
      cancelLabel="Keep subscription"
      danger
      call={{
        method: 'POST',
        path: `/cancellation-requests/${id}/accept`,
        body,
        sdk: { method: 'cancellationRequests.accept', args: [id, body] },
      }}
      run={async (key) => {
        await api.cancellationRequests.accept(id, body, key)
        await invalidate('cancellation_request', 'subscription')
      }}
      successMessage="Cancellation accepted"
      onDone={close}
      onCancel={close}
    >
      <TextField
        label="Subscription"
        pointer="/subscription_id"
        value={subscription}
        onChange={setSubscription}
        placeholder="subscription_…"
      />
    </ActionDialog>
  )
}

function RejectDialog({ request: { id }, close }: DialogProps) {
  const api = useApi()
  const invalidate = useInvalidate()
  const [note, setNote] = useState('')
  const body = note === '' ? {} : { note }
  return (
    <ActionDialog
      title="Reject cancellation"
      intro="No subscription is changed. The subscriber is not notified: reply to them yourself."
      submit="Reject cancellation"
      danger
      call={{
        method: 'POST',
        path: `/cancellation-requests/${id}/reject`,
        body,
        sdk: { method: 'cancellationRequests.reject', args: [id, body] },
      }}
      run={async (key) => {
        await api.cancellationRequests.reject(id, body, key)
        await invalidate('cancellation_request')
      }}
      successMessage="Cancellation rejected"
      onDone={close}
      onCancel={close}
    >
      <TextField label="Reason" pointer="/note" value={note} onChange={setNote} />
    </ActionDialog>
  )
}
