/* eslint-disable no-restricted-syntax -- commands and settings are the same in every language */
import { t } from './webhooks.texts.ts'

/** One way to forward a public address to the listener. */
interface TunnelExample {
  title: string
  about: string
  text: string
}

/** Examples for the listener at `listenerUrl`, ready to copy. Placeholders are in capitals. */
export function tunnelExamples(listenerUrl: string): TunnelExample[] {
  const { port, pathname } = new URL(listenerUrl)
  return [
    {
      title: t('tunnels.nginx'),
      about: t('tunnels.nginxText'),
      text: `# on the server, inside server { listen 443 ssl; … }
location / {
    proxy_pass http://127.0.0.1:${port};
    proxy_http_version 1.1;
    proxy_read_timeout 10s;
    client_max_body_size 2m;
}

# on this computer; keep it running
ssh -N -o ServerAliveInterval=15 -o ExitOnForwardFailure=yes \\
    -R 127.0.0.1:${port}:127.0.0.1:${port} USER@SERVER

# subscribe
https://SERVER${pathname}`,
    },
    {
      title: t('tunnels.cloudflared'),
      about: t('tunnels.cloudflaredText'),
      text: `cloudflared tunnel --url http://127.0.0.1:${port}

# subscribe the address it prints, with the path
https://WORDS.trycloudflare.com${pathname}`,
    },
    {
      title: t('tunnels.ssh'),
      about: t('tunnels.sshText'),
      text: `ssh -N -R 0.0.0.0:8080:127.0.0.1:${port} USER@SERVER

# subscribe
http://SERVER:8080${pathname}`,
    },
  ]
}
