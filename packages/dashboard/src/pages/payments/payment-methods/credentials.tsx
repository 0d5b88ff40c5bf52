/** The credentials of a payment method: where its card can be charged. */
import type { PaymentMethod } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/fields.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Status } from '../../../ui/status.tsx'
import { useAccountNames } from '../../accounts.ts'

type Credential = PaymentMethod['credentials'][number]

export function Credentials({ method }: { method: PaymentMethod }) {
  const disabledReasonFor = useDisabledReason()
  const [isOpen, setIsOpen] = useState(false)
  const hasNumber = method.credentials.some(({ type }) => type === 'vault')
  const roleReason = disabledReasonFor('payment_methods.create_credential')
  const reason = hasNumber ? roleReason : 'Only the provider has the number of this card.'
  return (
    <Panel title="Credentials">
      {method.credentials.length === 0 ? (
        <p className="px-4 py-3 text-muted">The card can no longer be charged.</p>
      ) : (
        <ul>
          {method.credentials.map((credential) => (
            <CredentialRow key={credential.provider_account_id ?? 'vault'} credential={credential} />
          ))}
        </ul>
      )}
      {method.status === 'attached' && (
        <div className="px-4 py-3">
          <Button disabledReason={reason} onClick={() => setIsOpen(true)}>
            Add credential…
          </Button>
        </div>
      )}
      {isOpen && <AddCredential method={method} close={() => setIsOpen(false)} />}
    </Panel>
  )
}

function CredentialRow({ credential }: { credential: Credential }) {
  const { nameOf } = useAccountNames()
  const { provider_account_id: accountId, payment_id: paymentId, status } = credential
  return (
    <li className="flex items-center justify-between gap-3 border-b border-line px-4 py-2">
      <span>
        {accountId === null ? (
          'Card number in a vault'
        ) : (
          <ObjectLink id={accountId}>{nameOf(accountId)}</ObjectLink>
        )}
        {status !== 'active' && paymentId !== null && (
          <>
            {' · '}
            <ObjectLink id={paymentId}>Verification</ObjectLink>
          </>
        )}
      </span>
      <Status status={status} />
    </li>
  )
}

function AddCredential({ method, close }: { method: PaymentMethod; close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const { accounts } = useAccountNames()
  const usedIds = method.credentials.filter(({ status }) => status !== 'failed')
  const isUsed = (id: string) => usedIds.some(({ provider_account_id: used }) => used === id)
  const choices = accounts.filter(({ id, status }) => status === 'active' && !isUsed(id))
  const [chosenId, setChosenId] = useState('')
  const accountId = chosenId || (choices[0]?.id ?? '')
  const body = { provider_account_id: accountId }
  return (
    <ActionDialog
      title="Add credential"
      intro="Verifies the card at the provider account without charging it. The account can then charge the card with a token of its own. The provider may charge a fee for the verification."
      submit="Verify card"
      disabledReason={accountId === '' ? 'Every active provider account has a credential.' : null}
      call={{
        method: 'POST',
        path: `/payment-methods/${method.id}/credentials`,
        body,
        sdk: { method: 'paymentMethods.createCredential', args: [method.id, body] },
      }}
      run={(key) => api.paymentMethods.createCredential(method.id, body, key)}
      successMessage="Card verified"
      onDone={() => {
        close()
        void invalidate('payment_method', 'payment')
      }}
      onCancel={close}
    >
      <SelectField
        label="Provider account"
        pointer="/provider_account_id"
        value={accountId}
        onChange={setChosenId}
        options={choices.map(({ id, display_name: text }) => ({ value: id, text }))}
      />
    </ActionDialog>
  )
}
