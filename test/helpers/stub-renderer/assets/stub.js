// Replaces the renderer in tests of the host: it shows what the page was allowed to do.
const violations = []
document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective))
const style = document.createElement('style')
style.nonce = document.querySelector('meta[name=csp-nonce]').content
style.textContent = 'body { background: rgb(4, 5, 6) }'
document.head.append(style)
window.violations = violations
const socket = new WebSocket(new URL('/rpc', location.href.replace(/^http/, 'ws')))
socket.onopen = () => (document.body.dataset.state = 'open')
socket.onclose = ({ code }) => (document.body.dataset.state = `closed ${code}`)
