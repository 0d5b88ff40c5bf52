/** What can be done with a provider account. */
import type { ProviderAccount, Switchyard } from '@switchyard/sdk'
import { useState } from 'react'
import { useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { ActionDialog } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'
import { EditProvider } from './edit.tsx'
import { HoldDialog } from './hold.tsx'
import { RotateDialog } from './rotate.tsx'

type Plain = 'release' | 'enable' | 'disable' | 'archive'
type Open = 'hold' | 'rotate' | 'edit' | Plain | null

export function ProviderActs({ account }: { account: ProviderAccount }) {
  const [open, setOpen] = useState<Open>(null)
  const may = useMay()
  const close = () => setOpen(null)
  const { status, hold } = account
  if (status === 'archived') return null
  return (
    <>
      {hold === null ? (
        <Button refused={may('provider_accounts.hold')} onClick={() => setOpen('hold')}>
          Hold traffic…
        </Button>
      ) : (
        <Button look="primary" refused={may('provider_accounts.release')} onClick={() => setOpen('release')}>
          Release…
        </Button>
      )}
      <Menu label="More actions" items={itemsOf(account, may, setOpen)} />
      {open === 'hold' && <HoldDialog account={account} close={close} />}
      {open === 'rotate' && <RotateDialog account={account} close={close} />}
      {open === 'edit' && <EditProvider account={account} close={close} />}
      {isPlain(open) && <PlainAct account={account} act={open} close={close} />}
    </>
  )
}

function isPlain(open: Open): open is Plain {
  return open !== null && open in plain
}

function itemsOf(
  { status, provider }: ProviderAccount,
  may: ReturnType<typeof useMay>,
  setOpen: (open: Open) => void,
): MenuItem[] {
  const flip = status === 'active' ? 'disable' : 'enable'
  return [
    { text: 'Edit…', onSelect: () => setOpen('edit'), refused: may('provider_accounts.update') },
    {
      text: 'Rotate secret…',
      onSelect: () => setOpen('rotate'),
      refused:
        may('provider_accounts.rotate_secret') ??
        (provider === 'simulator' ? 'The simulator knows its secret already.' : null),
    },
    {
      text: status === 'active' ? 'Disable…' : 'Enable…',
      onSelect: () => setOpen(flip),
      refused: may(`provider_accounts.${flip}`),
    },
    {
      text: 'Archive…',
      danger: true,
      onSelect: () => setOpen('archive'),
      refused: may('provider_accounts.archive'),
    },
  ]
}

const plain = {
  release: {
    title: 'Release this account',
    intro: 'It gets new payments again, as the route says.',
    submit: 'Release it',
    done: 'It gets new payments again.',
    danger: false,
  },
  enable: {
    title: 'Enable this account',
    intro: 'Routes can send new payments to it again.',
    submit: 'Enable it',
    done: 'The account is enabled.',
    danger: false,
  },
  disable: {
    title: 'Disable this account',
    intro: 'It gets no new payments until somebody enables it. Captures and refunds of earlier ones go on.',
    submit: 'Disable it',
    done: 'The account is disabled.',
    danger: true,
  },
  archive: {
    title: 'Archive this account',
    intro:
      'For good. It is refused while a published route sends payments to it, or something has not ended there.',
    submit: 'Archive it',
    done: 'The account is archived.',
    danger: true,
  },
} as const satisfies { readonly [A in Plain]: object }

function PlainAct({
  account: { id },
  act,
  close,
}: {
  account: ProviderAccount
  act: Plain
  close: () => void
}) {
  const api: Switchyard = useApi()
  const may = useMay()
  const reread = useReread()
  return (
    <ActionDialog
      {...plain[act]}
      refused={may(`provider_accounts.${act}`)}
      call={{
        method: 'POST',
        path: `/provider-accounts/${id}/${act}`,
        sdk: { method: `providerAccounts.${act}`, args: [id] },
      }}
      run={async (key) => {
        await api.providerAccounts[act](id, key)
        await reread('provider_account', 'payment_route')
      }}
      onDone={close}
      onCancel={close}
    />
  )
}
