/** The actions of a provider account. */
import type { ProviderAccount, Switchyard } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'
import { EditProvider } from './edit.tsx'
import { HoldDialog } from './hold.tsx'
import { isConnector } from './provider-name.tsx'
import { RotateDialog } from './rotate.tsx'

type SimpleAction = 'release' | 'enable' | 'disable' | 'archive'
type Open = 'hold' | 'rotate' | 'edit' | SimpleAction | null

export function ProviderActions({ account }: { account: ProviderAccount }) {
  const [open, setOpen] = useState<Open>(null)
  const disabledReasonFor = useDisabledReason()
  const close = () => setOpen(null)
  const { status, hold } = account
  if (status === 'archived') return null
  return (
    <>
      {hold === null ? (
        <Button disabledReason={disabledReasonFor('provider_accounts.hold')} onClick={() => setOpen('hold')}>
          Pause traffic…
        </Button>
      ) : (
        <Button
          variant="primary"
          disabledReason={disabledReasonFor('provider_accounts.release')}
          onClick={() => setOpen('release')}
        >
          Resume traffic…
        </Button>
      )}
      <Menu label="More actions" items={itemsOf(account, disabledReasonFor, setOpen)} />
      {open === 'hold' && <HoldDialog account={account} close={close} />}
      {open === 'rotate' && <RotateDialog account={account} close={close} />}
      {open === 'edit' && <EditProvider account={account} close={close} />}
      {isSimpleAction(open) && <SimpleActionDialog account={account} action={open} close={close} />}
    </>
  )
}

function isSimpleAction(open: Open): open is SimpleAction {
  return open !== null && open in simpleActions
}

function itemsOf(
  account: ProviderAccount,
  disabledReasonFor: ReturnType<typeof useDisabledReason>,
  setOpen: (open: Open) => void,
): MenuItem[] {
  const { status, provider } = account
  const toggle = status === 'active' ? 'disable' : 'enable'
  return [
    {
      text: 'Edit account…',
      onSelect: () => setOpen('edit'),
      disabledReason: disabledReasonFor('provider_accounts.update'),
    },
    {
      text: isConnector(account) ? 'Replace credentials…' : 'Rotate secret…',
      onSelect: () => setOpen('rotate'),
      disabledReason:
        disabledReasonFor('provider_accounts.rotate_secret') ??
        (provider === 'simulator' ? 'The secret of the simulator is managed automatically.' : null),
    },
    {
      text: status === 'active' ? 'Disable account…' : 'Enable account…',
      onSelect: () => setOpen(toggle),
      disabledReason: disabledReasonFor(`provider_accounts.${toggle}`),
    },
    {
      text: 'Archive account…',
      danger: true,
      onSelect: () => setOpen('archive'),
      disabledReason: disabledReasonFor('provider_accounts.archive'),
    },
  ]
}

const simpleActions = {
  release: {
    title: 'Resume traffic',
    intro: 'The account receives new payments again, according to the route.',
    submit: 'Resume traffic',
    successMessage: 'Traffic resumed',
    danger: false,
  },
  enable: {
    title: 'Enable account',
    intro: 'Routes can send new payments to it again.',
    submit: 'Enable account',
    successMessage: 'Account enabled',
    danger: false,
  },
  disable: {
    title: 'Disable account',
    intro:
      'The account receives no new payments until it is enabled again. Captures and refunds of existing payments continue.',
    submit: 'Disable account',
    successMessage: 'Account disabled',
    danger: true,
  },
  archive: {
    title: 'Archive account',
    intro:
      'This cannot be undone. An account cannot be archived while a published route uses it or while it has operations in progress.',
    submit: 'Archive account',
    successMessage: 'Account archived',
    danger: true,
  },
} as const satisfies { readonly [A in SimpleAction]: object }

function SimpleActionDialog({
  account: { id },
  action,
  close,
}: {
  account: ProviderAccount
  action: SimpleAction
  close: () => void
}) {
  const api: Switchyard = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  return (
    <ActionDialog
      {...simpleActions[action]}
      disabledReason={disabledReasonFor(`provider_accounts.${action}`)}
      call={{
        method: 'POST',
        path: `/provider-accounts/${id}/${action}`,
        sdk: { method: `providerAccounts.${action}`, args: [id] },
      }}
      run={async (key) => {
        await api.providerAccounts[action](id, key)
        await invalidate('provider_account', 'payment_route')
      }}
      onDone={close}
      onCancel={close}
    />
  )
}
