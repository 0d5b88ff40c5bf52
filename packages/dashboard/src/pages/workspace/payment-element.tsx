/** The pages of the merchant that may embed the payment element. */
import type { Workspace } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../api/queries.ts'
import { useApi, useDisabledReason } from '../../api/workspace.tsx'
import { ActionDialog } from '../../ui/action.tsx'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/fields.tsx'
import { GuardedPage } from '../../ui/page-loaded.tsx'
import { PageHead, Panel } from '../../ui/panel.tsx'
import { Loaded } from '../../ui/states.tsx'

export function Page() {
  return (
    <GuardedPage operation="workspace.get" title="Payment element">
      {() => <PaymentElementView />}
    </GuardedPage>
  )
}

function PaymentElementView() {
  const workspace = useObject(['workspace', 'settings'], (api) => api.workspace.get())
  const [isOpen, setOpen] = useState(false)
  const disabledReasonFor = useDisabledReason()
  return (
    <>
      <PageHead
        title="Payment element"
        actions={
          <Button disabledReason={disabledReasonFor('workspace.update')} onClick={() => setOpen(true)}>
            Change origins…
          </Button>
        }
      >
        <p className="mt-1 max-w-180 text-ink2">
          Card fields for your own pages. Only pages on these origins can embed them.
        </p>
      </PageHead>
      <Loaded query={workspace} rows={4}>
        {(loaded) => (
          <>
            <Panel title="Allowed origins">
              <Origins origins={loaded.elements.allowed_origins} />
            </Panel>
            {isOpen && <ChangeOrigins workspace={loaded} close={() => setOpen(false)} />}
          </>
        )}
      </Loaded>
    </>
  )
}

function Origins({ origins }: { origins: readonly string[] }) {
  if (origins.length === 0)
    return <p className="text-ink2">None. No page can embed the payment element yet.</p>
  return (
    <ul>
      {origins.map((origin) => (
        <li key={origin} className="font-mono text-compact">
          {origin}
        </li>
      ))}
    </ul>
  )
}

function ChangeOrigins({ workspace, close }: { workspace: Workspace; close: () => void }) {
  const api = useApi()
  const invalidate = useInvalidate()
  const [text, setText] = useState(workspace.elements.allowed_origins.join('\n'))
  const body = { elements: { allowed_origins: text.split(/\s+/).filter((line) => line !== '') } }
  return (
    <ActionDialog
      title="Change allowed origins"
      intro="A few seconds after you save, pages on removed origins can no longer embed the payment element."
      submit="Save origins"
      call={{ method: 'PUT', path: '/workspace', body, sdk: { method: 'workspace.update', args: [body] } }}
      run={async (key) => {
        await api.workspace.update(body, key)
        await invalidate('workspace')
      }}
      successMessage="Origins saved"
      onDone={close}
      onCancel={close}
    >
      <TextArea
        label="Origins"
        hint="One per line, at most 20, such as https://shop.example.com. Use http only for localhost."
        pointer="/elements/allowed_origins"
        value={text}
        onChange={setText}
        mono
      />
    </ActionDialog>
  )
}
