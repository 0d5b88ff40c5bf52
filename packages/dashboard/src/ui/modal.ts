/** What lies over the page: it takes the focus, keeps it, and gives it back to what opened it. */
import { type RefObject, useEffect } from 'react'

/** The first field, if there is one: the browser would choose the button that closes. */
const firstField = 'input:not([type="hidden"]), select, textarea'

export function useModal(box: RefObject<HTMLDialogElement | null>): void {
  useEffect(() => {
    const opener = document.activeElement
    const dialog = box.current
    dialog?.showModal()
    const chosen = dialog?.querySelector<HTMLElement>('[data-autofocus]')
    const first = chosen ?? dialog?.querySelector<HTMLElement>(firstField)
    first?.focus()
    return () => {
      dialog?.close()
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [box])
}
