// Shows the payment element of Switchyard, and pays when the shopper clicks the button. The card never reaches the shop.

const place = document.querySelector('#pay')
const button = document.querySelector('#pay-button')
const fault = document.querySelector('.fault')
const { baseUrl, token, sessionId, clientSecret, returnUrl } = place.dataset

const { switchyard } = await import(`${baseUrl}/elements/v1.js`)
const elements = switchyard(token, {
  baseUrl,
  session: { id: sessionId, client_secret: clientSecret },
  locale: 'en',
  appearance: appearanceOf(matchMedia('(prefers-color-scheme: dark)').matches),
})
const payment = elements.create('payment')
payment.on('error', ({ message }) => show(message))
payment.on('change', ({ status }) => {
  // `requires_action` and `processing`: the frame shows what to do.
  button.disabled = status !== 'form'
  if (status === 'succeeded') location.assign(returnUrl)
})
payment.mount(place)

button.addEventListener('click', async () => {
  show('')
  const { error } = await payment.confirm({ returnUrl: location.href })
  if (error !== null) show(error.message)
})

function show(message) {
  fault.textContent = message
}

function appearanceOf(isDark) {
  const shared = { fontFamily: 'serif', borderRadius: 6 }
  if (isDark) return { ...shared, theme: 'dark', colorBackground: '#1f242a', colorSurface: '#16191d' }
  return { ...shared, theme: 'light', colorBackground: '#ffffff', colorSurface: '#fbf8f3' }
}
