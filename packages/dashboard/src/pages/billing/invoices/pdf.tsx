import type { Invoice } from '@switchyard/sdk'
import { useState } from 'react'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { Button } from '../../../ui/button.tsx'
import type { MenuItem } from '../../../ui/menu.tsx'
import { errorText } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'

export function DownloadPdf({ invoice: { id, number, status } }: { invoice: Invoice }) {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const disabledReason =
    disabledReasonFor('invoices.pdf') ??
    (status === 'draft' ? 'A draft invoice has no number and no PDF yet.' : null)
  return <PdfButton name={number ?? id} load={() => api.invoices.pdf(id)} disabledReason={disabledReason} />
}

type PdfButtonProps = {
  /** The name of the file, without its extension. */
  readonly name: string
  readonly load: () => Promise<Uint8Array>
  readonly disabledReason: string | null
}

export function PdfButton({ name, load, disabledReason }: PdfButtonProps) {
  const saveFile = useSaveFile()
  const [isBusy, setBusy] = useState(false)
  const download = async () => {
    setBusy(true)
    await saveFile(load, `${name}.pdf`, 'application/pdf')
    setBusy(false)
  }
  return (
    <Button isBusy={isBusy} disabledReason={disabledReason} onClick={() => void download()}>
      Download PDF
    </Button>
  )
}

/** Drafts and void invoices have no e-invoice. If fields are missing, the error names them. */
export function useXmlItems({ id, number, status }: Invoice): MenuItem[] {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const saveFile = useSaveFile()
  if (status === 'draft' || status === 'void') return []
  return [
    {
      text: 'Download e-invoice',
      onSelect: () => void saveFile(() => api.invoices.xml(id), `${number ?? id}.xml`, 'application/xml'),
      disabledReason: disabledReasonFor('invoices.xml'),
    },
  ]
}

function useSaveFile() {
  const toast = useToast()
  return async (load: () => Promise<Uint8Array>, name: string, type: string) => {
    try {
      // Copied, because the type of `Blob` does not accept a buffer that could be shared between threads.
      save(new Blob([new Uint8Array(await load())], { type }), name)
    } catch (error) {
      toast(errorText(error as Error))
    }
  }
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  URL.revokeObjectURL(url)
}
