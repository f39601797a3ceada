import { mount } from 'svelte';
import Newsletter from './Newsletter.svelte';

mount(Newsletter, { target: document.getElementById('app') });
