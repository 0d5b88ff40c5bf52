/** One payment method: its card, its customer, and its verification. */
import type { PaymentMethod } from '@switchyard/sdk'
import { useState } from 'react'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { cardText, debitOf, expiryText, methodText } from '../../../format/card.ts'
import { sentenceCase } from '../../../format/text.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { Json } from '../../../ui/code.tsx'
import { Columns, Facts, PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { Id, Time } from '../../../ui/values.tsx'
import { useAccountName } from '../../accounts.ts'
import { ObjectEvents } from '../events.tsx'
import { ObjectPage } from '../object-page.tsx'
import { AttachMethod, DetachMethod } from './attach.tsx'
import { Credentials } from './credentials.tsx'
import { EditMethod } from './edit.tsx'

export function Page() {
  return (
    <ObjectPage
      noun="payment_method"
      title="Payment method"
      list={{ text: 'Payment methods', to: '/payment-methods' }}
      read={(api, id, signal) => api.paymentMethods.get(id, { signal })}
    >
      {(method) => <MethodView method={method} />}
    </ObjectPage>
  )
}

function MethodView({ method }: { method: PaymentMethod }) {
  return (
    <>
      <Head method={method} />
      <Columns
        main={
          <Tabs
            label="Payment method details"
            tabs={[
              {
                id: 'events',
                text: 'Events',
                content: () => <ObjectEvents id={method.id} noun="payment_method" />,
              },
              {
                id: 'json',
                text: 'JSON',
                content: () => (
                  <div className="p-4">
                    <Json value={method} label="payment method JSON" />
                  </div>
                ),
              },
            ]}
          />
        }
        side={<Side method={method} />}
      />
    </>
  )
}

function Head({ method }: { method: PaymentMethod }) {
  const disabledReasonFor = useDisabledReason()
  const [open, setOpen] = useState<'attach' | 'detach' | 'edit' | null>(null)
  const close = () => setOpen(null)
  const isDetached = method.status === 'detached'
  return (
    <PageHead
      crumbs={[{ text: 'Payment methods', to: '/payment-methods' }, { text: method.id }]}
      title={methodText(method)}
      titleExtra={<Status status={method.status} />}
      actions={
        isDetached ? undefined : (
          <>
            {method.status === 'authorized' && (
              <Button
                variant="primary"
                disabledReason={disabledReasonFor('payment_methods.attach')}
                onClick={() => setOpen('attach')}
              >
                Attach to customer…
              </Button>
            )}
            {method.card !== null && (
              <Button
                disabledReason={disabledReasonFor('payment_methods.update')}
                onClick={() => setOpen('edit')}
              >
                Edit
              </Button>
            )}
            <Button
              variant="danger"
              disabledReason={disabledReasonFor('payment_methods.detach')}
              onClick={() => setOpen('detach')}
            >
              {method.card === null ? 'Detach bank account…' : 'Detach card…'}
            </Button>
          </>
        )
      }
    >
      <div className="mt-3">
        <Sentence>{methodSentence(method)}</Sentence>
      </div>
      {open === 'attach' && <AttachMethod methodId={method.id} close={close} />}
      {open === 'detach' && <DetachMethod method={method} close={close} />}
      {open === 'edit' && method.card !== null && (
        <EditMethod id={method.id} card={method.card} close={close} />
      )}
    </PageHead>
  )
}

function methodSentence({ status, usage, detached_reason: reason }: PaymentMethod): string {
  if (status === 'authorized')
    return 'Verified. It can be charged once it is attached to a customer. It is deleted if it is not attached within a week.'
  if (status === 'detached') return `Permanently removed${reason === null ? '' : ` (\`${reason}\`)`}.`
  return usage === 'off_session'
    ? 'The customer can pay with it. Off-session charges are allowed.'
    : 'The customer can pay with it. Off-session charges are not allowed.'
}

function Card({ method, card }: { method: PaymentMethod; card: NonNullable<PaymentMethod['card']> }) {
  const { customer_id: customerId, billing_details: billing } = method
  return (
    <Panel title="Card">
      <Facts
        facts={[
          ['Customer', customerId && <ObjectLink id={customerId} />],
          ['Number', cardText(card)],
          ['Expires', expiryText(card)],
          ['Funding', card.funding && sentenceCase(card.funding)],
          ['Country', card.country],
          ['Name', billing?.name],
          ['Email', billing?.email],
          ['Fingerprint', card.fingerprint && <Id id={card.fingerprint} full />],
        ]}
      />
    </Panel>
  )
}

function BankAccount({ method }: { method: PaymentMethod }) {
  const { customer_id: customerId } = method
  const debit = debitOf(method)
  return (
    <Panel title="Bank account">
      <Facts
        facts={[
          ['Customer', customerId && <ObjectLink id={customerId} />],
          ['Number', methodText(method)],
          ['Account holder', debit?.account_holder_name],
          ['Country', debit?.country],
          ['Bank code', debit?.bank_code],
          ['Mandate', debit && <Id id={debit.mandate.reference} full />],
          ['Mandate status', debit && sentenceCase(debit.mandate.status)],
          ['Accepted', debit && <Time at={debit.mandate.accepted_at} exact />],
          ['Text version', debit?.mandate.text_version],
        ]}
      />
    </Panel>
  )
}

function Side({ method }: { method: PaymentMethod }) {
  const nameOf = useAccountName()
  const { card, authorization } = method
  return (
    <>
      {card === null ? <BankAccount method={method} /> : <Card method={method} card={card} />}
      <Credentials method={method} />
      <Panel title="Verification">
        <Facts
          facts={[
            ['Verified', <Time key="at" at={authorization.verified_at} exact />],
            ['Payment', <ObjectLink key="payment" id={authorization.payment_id} />],
            [
              'Provider',
              <ObjectLink key="provider" id={authorization.provider_account_id}>
                {nameOf(authorization.provider_account_id)}
              </ObjectLink>,
            ],
            ['Network transaction ID', authorization.network_transaction_id],
          ]}
        />
      </Panel>
    </>
  )
}
