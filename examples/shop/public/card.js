// Sends the card from this page to Switchyard, with a publishable token, and puts the card token into the form.

const form = document.querySelector('form.card')
const errorElement = form.querySelector('.fault')
const button = form.querySelector('button')

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  button.disabled = true
  errorElement.textContent = ''
  const problem = await tokenize()
  if (problem === null) return form.submit()
  errorElement.textContent = problem
  button.disabled = false
})

/** An error message, or null if the form has its token. */
async function tokenize() {
  const [month, year = ''] = form.querySelector('#expiry').value.split('/')
  const card = {
    number: form.querySelector('#number').value,
    exp_month: Number(month),
    exp_year: Number(year.trim().length === 2 ? `20${year.trim()}` : year),
    cvc: form.querySelector('#cvc').value,
  }
  const response = await fetch(`${form.dataset.switchyard}/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${form.dataset.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'card', card }),
  }).catch(() => null)
  if (response === null) return 'The connection was lost. You were not charged. Please try again.'
  const body = await response.json()
  if (!response.ok) return body.errors?.[0] ? `The card: ${body.errors[0].detail}.` : body.detail
  form.elements.token.value = body.id
  return null
}
